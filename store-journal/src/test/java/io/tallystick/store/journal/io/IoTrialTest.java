package io.tallystick.store.journal.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.StoreIoException;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntBinaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which way to the disk a trial takes. */
class IoTrialTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long OPERATION_NANOS = 50_000;
    private static final int ROUNDS = 6;
    private static final int CALLS_OF_A_ROUND = 2 * 9;

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
    void aLaterWayIsTakenIfItTakesLessThanTwoThirdsOfTheTime() throws IOException {
        List<String> ways = List.of(LogIo.DIRECT, LogIo.CHANNEL);
        assertThat(choose(ways, timesOf((round, way) -> way == 0 ? 100 : 70)).name())
                .isEqualTo(LogIo.DIRECT);
        assertThat(choose(ways, timesOf((round, way) -> way == 0 ? 100 : 60)).name())
                .isEqualTo(LogIo.CHANNEL);
    }

    @Test
    void aLaterWayIsTakenOnlyIfItIsQuickerInNearlyEveryRound() throws IOException {
        for (int quick = 0; quick <= ROUNDS; quick++) {
            int rounds = quick;
            LogIo chosen = choose(
                    List.of(LogIo.DIRECT, LogIo.CHANNEL),
                    timesOf((round, way) -> way == 1 && round < rounds ? 10 : 100));
            assertThat(chosen.name())
                    .as("quicker in %d rounds", quick)
                    .isEqualTo(quick >= ROUNDS - 1 ? LogIo.CHANNEL : LogIo.DIRECT);
        }
    }

    @Test
    void aUsedUpQuotaSaysNothingAgainstAWay() throws IOException {
        FaultInjectingDisk full = new FaultInjectingDisk(disk);
        full.inject(DiskFault.in(DiskOperation.WRITE).forEver().failingWith("Disk quota exceeded"));

        for (String asked : List.of(LogIo.AUTO, LogIo.DIRECT, LogIo.CHANNEL)) {
            IoChoice choice =
                    IoChoice.make(asked, List.of(LogIo.DIRECT, LogIo.CHANNEL), full, DIRECTORY, NanoClock.SYSTEM);
            assertThat(choice.io().name()).isEqualTo(asked.equals(LogIo.AUTO) ? LogIo.CHANNEL : asked);
        }
    }

    @Test
    void withoutRoomForATrialTheWayThatNeedsNoneIsTaken() throws IOException {
        disk.setCapacity(WriteTrial.FILE_BYTES / 2);
        LogIo chosen = choose(List.of(LogIo.DIRECT, LogIo.CHANNEL), timeOfOperations(0));
        assertThat(chosen.name()).isEqualTo(LogIo.CHANNEL);
        assertThat(chosen.trial().remark()).contains("no room to try it");
        assertThat(disk.kindOf(DIRECTORY)).isEqualTo(Disk.PathKind.DIRECTORY);
        assertThat(disk.list(DIRECTORY)).isEmpty();
    }

    @Test
    void aWayThatDoesNotWorkIsLeftOutWithItsReason() throws IOException {
        Disk withoutDirect = new ForwardingDisk(disk) {
            @Override
            public DiskFile open(Path file, OpenMode mode) throws IOException {
                if (mode == OpenMode.DIRECT_SYNC) {
                    throw new IOException("no such way");
                }
                return super.open(file, mode);
            }
        };

        IoTrial.Outcome outcome =
                IoTrial.of(List.of(LogIo.DIRECT, LogIo.CHANNEL), withoutDirect, DIRECTORY, timeOfOperations(0));

        assertThat(outcome.io().name()).isEqualTo(LogIo.CHANNEL);
        assertThat(outcome.io().trial().details()).contains("direct: a trial write failed", "no such way");
        assertThat(disk.list(DIRECTORY)).isEmpty();
        assertThatThrownBy(() -> IoTrial.of(List.of(LogIo.DIRECT), withoutDirect, DIRECTORY, timeOfOperations(0)))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("no such way");
    }

    private LogIo choose(List<String> supported, NanoClock clock) throws IOException {
        return IoTrial.of(supported, disk, DIRECTORY, clock).io();
    }

    /** A durable write is one operation directly, and two, the write and the force, through the page cache. */
    private NanoClock timeOfOperations(long stalledUntil) {
        return () -> {
            long operations = disk.operations();
            return (operations + 20 * Math.min(operations, stalledUntil)) * OPERATION_NANOS;
        };
    }

    /** The clock of a trial of two ways in which a write takes so many microseconds, by round and way. */
    private static NanoClock timesOf(IntBinaryOperator micros) {
        int[] calls = new int[1];
        long[] now = new long[1];
        return () -> {
            int call = calls[0]++;
            boolean isEnd = call % 2 == 1;
            if (isEnd) {
                int turn = call / CALLS_OF_A_ROUND;
                now[0] += 1000L * micros.applyAsInt(turn / 2, turn % 2);
            }
            return now[0];
        };
    }
}
