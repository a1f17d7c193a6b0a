package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.file.NameChange.Retire;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IdleForcerTest {
    private static final Path DIRECTORY = Path.of("/type");

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
    private final FailStop failStop = new FailStop(DIRECTORY, StoreEvents.NONE);
    private final SyncRounds rounds =
            new SyncRounds(disk, new DirectoryForces(disk), NanoClock.SYSTEM, failStop, new StatisticsRecorder(), 256);
    private final TypeDirectory type =
            new TypeDirectory("/type", DIRECTORY, new SpareFiles(DIRECTORY, new AtomicLong(), new OpenFiles()));
    private final IdleForcer idle = new IdleForcer(rounds, failStop);

    @BeforeEach
    void createDirectory() throws IOException {
        disk.createDirectory(DIRECTORY);
    }

    @AfterEach
    void stop() {
        idle.stop();
    }

    @Test
    void whatWasDeferredIsForcedAlthoughNoCallerForces() throws IOException {
        for (int i = 0; i < 3; i++) {
            defer("state" + i);

            idle.wake();

            awaitClean();
        }
        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(3);
        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    @Test
    void theThreadIsStartedByTheFirstDeferredChangeAndEndsWhenItIsStopped() throws IOException {
        long before = threads();
        idle.stop();
        assertThat(threads()).isEqualTo(before);

        IdleForcer another = new IdleForcer(rounds, failStop);
        defer("state");
        another.wake();
        awaitClean();
        assertThat(threads()).isEqualTo(before + 1);

        Thread.currentThread().interrupt();
        another.stop();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(threads()).isEqualTo(before);
    }

    @Test
    void anIdleForcerThatWasStoppedStartsNoThread() throws IOException {
        idle.stop();
        defer("state");

        idle.wake();

        assertThat(rounds.isClean()).isFalse();
    }

    @Test
    void aForceThatFailsFailsTheStore() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).failingWith(DiskFault.EIO));
        defer("state");

        idle.wake();

        while (failStop.cause == null) {
            Thread.onSpinWait();
        }
        assertThat(rounds.isClean()).isFalse();
    }

    private void defer(String name) throws IOException {
        Path state = DIRECTORY.resolve(name);
        disk.open(state, OpenMode.CREATE_NEW).close();
        rounds.defer(new Retire(type, state, StoredState.NOTHING, false, true));
    }

    private void awaitClean() {
        while (!rounds.isClean()) {
            Thread.onSpinWait();
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("tallystick-file-idle"))
                .filter(Thread::isAlive)
                .count();
    }
}
