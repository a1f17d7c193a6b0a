package io.tallystick.store.journal.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which way to the disk is taken where none is asked for. */
class LogIoTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long OPERATION_NANOS = 50_000;

    private final SimulatedDisk disk = new SimulatedDisk();

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(DIRECTORY.getParent());
        disk.createDirectory(DIRECTORY);
    }

    @Test
    void theQuickerWayIsTaken() throws IOException {
        LogIo chosen = choose(List.of(LogIo.CHANNEL, LogIo.DIRECT), timeOfOperations(0));
        assertThat(chosen.name()).isEqualTo(LogIo.DIRECT);
        assertThat(chosen.trial().remark()).isEqualTo("50 us a write");
        assertThat(chosen.trial().details()).isEqualTo("channel: 100 us a write; direct: 50 us a write");
    }

    @Test
    void ofTwoWaysThatTakeTheSameTheFirstIsTaken() throws IOException {
        LogIo chosen = choose(List.of(LogIo.CHANNEL, LogIo.DIRECT), () -> 0);
        assertThat(chosen.name()).isEqualTo(LogIo.CHANNEL);
    }

    @Test
    void aStallOfTheDiskDoesNotDecide() throws IOException {
        for (int stalled = 10; stalled <= 80; stalled += 10) {
            LogIo chosen = choose(List.of(LogIo.DIRECT, LogIo.CHANNEL), timeOfOperations(disk.operations() + stalled));
            assertThat(chosen.name()).as("operations stalled: %d", stalled).isEqualTo(LogIo.DIRECT);
        }
    }

    @Test
    void theTrialLeavesNothingBehind() throws IOException {
        choose(List.of(LogIo.CHANNEL, LogIo.DIRECT), timeOfOperations(0));
        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    @Test
    void aUsedUpQuotaSaysNothingAgainstAWay() throws IOException {
        FaultInjectingDisk full = new FaultInjectingDisk(disk);
        full.inject(DiskFault.in(DiskOperation.WRITE).forEver().failingWith("Disk quota exceeded"));

        for (String asked : List.of("auto", LogIo.DIRECT, LogIo.CHANNEL)) {
            LogIo chosen = LogIo.choose(asked, List.of(LogIo.DIRECT, LogIo.CHANNEL), full, DIRECTORY, NanoClock.SYSTEM);
            assertThat(chosen.name()).isEqualTo(asked.equals("auto") ? LogIo.DIRECT : asked);
        }
    }

    @Test
    void withoutRoomForATrialTheFirstWayIsTaken() throws IOException {
        disk.setCapacity(WriteTrial.FILE_BYTES / 2);
        LogIo chosen = choose(List.of(LogIo.DIRECT, LogIo.CHANNEL), timeOfOperations(0));
        assertThat(chosen.name()).isEqualTo(LogIo.DIRECT);
        assertThat(chosen.trial().remark()).contains("no room to try it");
        assertThat(disk.kindOf(DIRECTORY)).isEqualTo(Disk.PathKind.DIRECTORY);
        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    private LogIo choose(List<String> supported, NanoClock clock) throws IOException {
        return LogIo.choose(LogIo.AUTO, supported, disk, DIRECTORY, clock);
    }

    /** A durable write is one operation directly, and two, the write and the force, through the page cache. */
    private NanoClock timeOfOperations(long stalledUntil) {
        return () -> {
            long operations = disk.operations();
            return (operations + 20 * Math.min(operations, stalledUntil)) * OPERATION_NANOS;
        };
    }
}
