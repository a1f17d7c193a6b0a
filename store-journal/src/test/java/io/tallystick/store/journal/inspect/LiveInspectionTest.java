package io.tallystick.store.journal.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.segment.SegmentFormat;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.UninterruptedWait;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store is read while threads write to it, so fast that its segments are used again and again: what is found was
 * true.
 */
class LiveInspectionTest {
    private static final int WRITERS = 3;
    private static final int CONSTANT_KEYS = 60;
    private static final int INSPECTIONS = 40;
    private static final int SEGMENTS_USED = 10;
    private static final int BURST_ROUNDS = 300;
    private static final int FILES_READ = 16;
    private static final int RECORDS_OF_A_SEGMENT = 32;

    @TempDir
    Path root;

    /**
     * Round n of a writer: write T(n), write A=n, write B=n, remove T(n), each on disk before the next begins. So
     * whenever B is n, A is n or n+1, and of all T at most T(n) and T(n+1) are there.
     */
    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void whatIsFoundWasTheStateOfOneMoment(String io) throws Exception {
        Path directory = root.resolve("tx");
        AtomicBoolean enough = new AtomicBoolean();
        AtomicLongArray acknowledged = new AtomicLongArray(WRITERS);
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
        long lastId;
        try (ObjectStore store = open(directory, io)) {
            for (int i = 0; i < CONSTANT_KEYS; i++) {
                store.write(key("/Constant", i), number(i), Durability.FORCED);
            }
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int id = writer;
                writers.add(threads.submit(() -> {
                    for (long round = 1; !enough.get(); round++) {
                        store.write(transaction(id, round), new byte[500], Durability.FORCED);
                        store.write(key("/A", id), number(round), Durability.FORCED);
                        store.write(key("/B", id), number(round), Durability.FORCED);
                        store.remove(transaction(id, round), Durability.FORCED);
                        acknowledged.set(id, round);
                    }
                }));
            }
            long lastIdBefore = highestSegmentId(new SegmentedInspector().inspect(directory));
            try {
                lastId = lastIdBefore;
                for (int i = 0; i < INSPECTIONS || lastId < lastIdBefore + SEGMENTS_USED; i++) {
                    long[] before = new long[WRITERS];
                    for (int writer = 0; writer < WRITERS; writer++) {
                        before[writer] = acknowledged.get(writer);
                    }
                    StoreInspection found = new SegmentedInspector().inspect(directory);
                    check(found, before);
                    lastId = highestSegmentId(found);
                }
            } finally {
                enough.set(true);
                threads.shutdown();
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }
        assertThat(new SegmentedInspector().inspect(directory).damages()).isEmpty();
    }

    /** The worst moments: while some file is read, all segments are used again, once and more. */
    @Test
    void segmentsThatAreUsedAgainWhileOthersAreReadBringNothingBack() throws IOException {
        Path directory = root.resolve("tx");
        try (ObjectStore store = open(directory, "channel")) {
            for (int i = 0; i < CONSTANT_KEYS; i++) {
                store.write(key("/Constant", i), number(i), Durability.FORCED);
            }
            long[] round = {0};
            Runnable burst = () -> {
                for (int i = 0; i < BURST_ROUNDS; i++) {
                    round[0]++;
                    store.write(transaction(0, round[0]), new byte[500], Durability.FORCED);
                    store.write(key("/A", 0), number(round[0]), Durability.FORCED);
                    store.write(key("/B", 0), number(round[0]), Durability.FORCED);
                    store.remove(transaction(0, round[0] - 1), Durability.FORCED);
                }
            };
            burst.run();
            for (int opened = 1; opened <= FILES_READ; opened++) {
                long before = round[0];
                StoreInspection found =
                        new SegmentedInspector(busyDisk(new SystemDisk(), opened, burst)).inspect(directory);

                assertThat(round[0]).isEqualTo(before + BURST_ROUNDS);
                assertThat(found.damages()).isEmpty();
                long b = value(found, key("/B", 0));
                assertThat(b).isBetween(before, round[0]);
                assertThat(value(found, key("/A", 0))).isBetween(b, b + 1);
                for (InspectedRecord record : found.records()) {
                    if (record.key().type().equals("/T0")) {
                        assertThat(ByteBuffer.wrap(record.key().id().toBytes()).getLong())
                                .isBetween(b - 1, b + 1);
                    }
                }
                for (int i = 0; i < CONSTANT_KEYS; i++) {
                    assertThat(value(found, key("/Constant", i))).isEqualTo(i);
                }
            }
        }
    }

    /** A disk that does something else before it opens the n-th segment file. */
    private static Disk busyDisk(Disk disk, int n, Runnable something) {
        int[] opened = {0};
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    boolean isSegment =
                            method.getName().equals("open") && SegmentFormat.fileNumber((Path) arguments[0]) >= 0;
                    if (isSegment && ++opened[0] == n) {
                        something.run();
                    }
                    try {
                        return method.invoke(disk, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private static void check(StoreInspection found, long[] acknowledgedBefore) {
        assertThat(found.damages()).isEmpty();
        assertThat(found.holder()).isPresent();
        for (int i = 0; i < CONSTANT_KEYS; i++) {
            assertThat(value(found, key("/Constant", i))).isEqualTo(i);
        }
        for (int writer = 0; writer < WRITERS; writer++) {
            long a = value(found, key("/A", writer));
            long b = value(found, key("/B", writer));
            assertThat(b).isGreaterThanOrEqualTo(acknowledgedBefore[writer]);
            assertThat(a).isBetween(b, b + 1);
            String type = "/T" + writer;
            for (InspectedRecord record : found.records()) {
                if (record.key().type().equals(type)) {
                    long round = ByteBuffer.wrap(record.key().id().toBytes()).getLong();
                    assertThat(round).isBetween(b, b + 1);
                    assertThat(round).isGreaterThan(acknowledgedBefore[writer]);
                }
            }
            if (a == b + 1) {
                assertThat(found.record(transaction(writer, a))).isPresent();
            }
        }
    }

    /**
     * A write that stalls leaves a gap in the log. What others write meanwhile is acknowledged and lies behind it, and
     * the writer of the missing batch has been told nothing.
     */
    @Test
    void whatWasAcknowledgedWhileAnEarlierWriteStallsIsFound() throws Exception {
        FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
        DiskFault.Stall stall = new DiskFault.Stall();
        Path directory = Path.of("/simulated/tx");
        try (ObjectStore store = JournalStores.openSleeping(small(directory, "direct"), disk)) {
            store.write(key("/Removed", 1), number(1), Durability.FORCED);
            store.write(key("/Changed", 1), number(1), Durability.FORCED);
            disk.inject(DiskFault.in(DiskOperation.WRITE).stallingAt(stall));
            Thread stalled = new Thread(() -> store.write(key("/Stalled", 1), number(1), Durability.FORCED));
            stalled.start();
            stall.awaitReached();
            try {
                store.remove(key("/Removed", 1), Durability.FORCED);
                store.write(key("/Changed", 1), number(2), Durability.FORCED);

                StoreInspection found = new SegmentedInspector(disk).inspect(directory);
                assertThat(found.damages()).isEmpty();
                assertThat(found.record(key("/Removed", 1))).isEmpty();
                assertThat(value(found, key("/Changed", 1))).isEqualTo(2);
                assertThat(found.record(key("/Stalled", 1))).isEmpty();
            } finally {
                stall.release();
                stalled.join();
            }
            assertThat(value(new SegmentedInspector(disk).inspect(directory), key("/Stalled", 1)))
                    .isEqualTo(1);
        }
    }

    /** What was written after the missing batch was acknowledged does not count while that batch is missing. */
    @Test
    void whatIsFoundHoldsNothingThatWasWrittenInTheLightOfAMissingBatch() throws Exception {
        int found = 0;
        for (int opened = 1; opened <= 4 * FILES_READ; opened++) {
            FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
            DiskFault.Stall stall = new DiskFault.Stall();
            Path directory = Path.of("/simulated/tx");
            try (ObjectStore store = JournalStores.openSleeping(small(directory, "direct"), disk)) {
                store.write(key("/Before", 1), number(1), Durability.FORCED);
                disk.inject(DiskFault.in(DiskOperation.WRITE).stallingAt(stall));
                Thread stalled = new Thread(() -> store.write(key("/Stalled", 1), number(1), Durability.FORCED));
                stalled.start();
                stall.awaitReached();
                store.write(key("/Beside", 1), number(1), Durability.FORCED);
                Runnable release = () -> {
                    stall.release();
                    UninterruptedWait.join(stalled);
                    for (int i = 0; i < RECORDS_OF_A_SEGMENT; i++) {
                        store.write(key("/After", 1), new byte[4096], Durability.FORCED);
                    }
                };
                StoreInspection inspection = new SegmentedInspector(busyDisk(disk, opened, release)).inspect(directory);
                release.run();

                assertThat(inspection.damages()).isEmpty();
                assertThat(value(inspection, key("/Before", 1))).isEqualTo(1);
                assertThat(value(inspection, key("/Beside", 1))).isEqualTo(1);
                if (inspection.record(key("/After", 1)).isPresent()) {
                    found++;
                    assertThat(inspection.record(key("/Stalled", 1))).isPresent();
                }
            }
        }
        assertThat(found).isPositive();
    }

    @Test
    void damageInAStoreInUseIsToldAndATornTailIsNot() throws IOException {
        Path directory = root.resolve("tx");
        try (ObjectStore store = open(directory, "channel")) {
            for (int i = 0; i < 20; i++) {
                store.write(key("/Constant", i), number(i), Durability.FORCED);
            }
            StoreInspection healthy = new SegmentedInspector().inspect(directory);
            assertThat(healthy.damages()).isEmpty();
            InspectedRecord tenth = healthy.record(key("/Constant", 10)).orElseThrow();
            InspectedRecord last = healthy.record(key("/Constant", 19)).orElseThrow();

            flip(last);
            StoreInspection torn = new SegmentedInspector().inspect(directory);
            assertThat(torn.damages()).isEmpty();
            assertThat(torn.records()).hasSize(19);
            flip(last);

            flip(tenth);
            assertThat(new SegmentedInspector().inspect(directory).damages()).anySatisfy(damage -> {
                assertThat(damage.kind()).isEqualTo(Damage.Kind.BATCH);
                assertThat(damage.file()).isEqualTo(tenth.file());
                assertThat(damage.offset()).isBetween(tenth.offset() - 512, tenth.offset());
            });
            flip(tenth);
            assertThat(store.read(key("/Constant", 10))).contains(number(10));
        }
    }

    private static void flip(InspectedRecord record) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(record.file().toFile(), "rw")) {
            file.seek(record.offset() + 30);
            int found = file.read();
            file.seek(record.offset() + 30);
            file.write(found ^ 1);
        }
    }

    private static long highestSegmentId(StoreInspection inspection) {
        return inspection.files().stream()
                .filter(file -> file.role() == InspectedFile.Role.DATA || file.role() == InspectedFile.Role.SPARE)
                .mapToLong(file -> Long.parseLong(file.remark().split("[= ]")[1]))
                .max()
                .orElseThrow();
    }

    private static long value(StoreInspection found, StateKey key) {
        return found.record(key)
                .map(record -> ByteBuffer.wrap(record.image().committed()).getLong())
                .orElse(0L);
    }

    private static StateKey transaction(int writer, long round) {
        return StateKey.of("/T" + writer, ObjectId.of(number(round)));
    }

    private static StateKey key(String type, long id) {
        return StateKey.of(type, ObjectId.of(number(id)));
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    private static ObjectStore open(Path directory, String io) {
        return JournalStores.open(small(directory, io));
    }

    private static StoreConfiguration.Builder small(Path directory, String io) {
        return JournalStores.small(directory, "segmented", io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 128 * StoreOption.KIB)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }
}
