package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whole files of a closed store are lost, doubled, exchanged or older than they should be, batches stand where they do
 * not belong, and numbers lie although their checksums fit: it is told, or harmless. Rot of single bits is the
 * business of {@link SegmentedRotTest}.
 */
@Tag("long")
class SegmentedCorruptionTest {
    private static final boolean FULL = Boolean.getBoolean("tallystick.test.full");
    private static final Path DIRECTORY = Path.of("/store");
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int BLOCK_BYTES = 512;
    private static final long LARGEST_ALLOCATION = 16L * SEGMENT_BYTES + 4 * 1024 * 1024;

    /** Dead, so that each test may have copies. */
    private final SimulatedDisk original = new SimulatedDisk();

    private final Oracle oracle = new Oracle();
    /** All segments as they were at some moments of the store's lives. */
    private final List<Map<Path, byte[]>> earlier = new ArrayList<>();

    private int told;
    private int harmless;

    @BeforeEach
    void liveSeveralLives() throws IOException {
        for (int life = 0; life < 3; life++) {
            ObjectStore store = open(original);
            oracle.checkRecovered(store);
            try (ObjectStore watched = oracle.watch(store)) {
                for (int part = 0; part < 5; part++) {
                    StoreWorkload.history(10 * life + part, 40).run(watched);
                    watched.force();
                    earlier.add(segments(original));
                }
            }
            earlier.add(segments(original));
        }
    }

    @Test
    void missingSegmentIsToldUnlessNothingWasInIt() throws IOException {
        for (Path segment : segments(copy()).keySet()) {
            SimulatedDisk disk = copy();
            disk.delete(segment);
            judge(disk, "without " + segment);
        }
        assertThat(told).isGreaterThanOrEqualTo(2);
    }

    @Test
    void storeWithoutAnySegmentIsToldAndNotTakenForANewOne() throws IOException {
        SimulatedDisk disk = copy();
        for (Path segment : segments(disk).keySet()) {
            disk.delete(segment);
        }
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("every segment file is missing");
    }

    @Test
    void secondCopyOfASegmentIsTold() throws IOException {
        for (Map.Entry<Path, byte[]> segment : segments(copy()).entrySet()) {
            SimulatedDisk disk = copy();
            JournalFiles.put(disk, DIRECTORY.resolve(SegmentFormat.fileName(99)), segment.getValue());
            judge(disk, "copy of " + segment.getKey());
        }
        assertThat(harmless).isZero();
    }

    @Test
    void segmentsWithEachOthersNamesAreRead() throws IOException {
        List<Path> segments = List.copyOf(segments(copy()).keySet());
        for (int i = 1; i < segments.size(); i++) {
            for (int j = 0; j < i; j++) {
                SimulatedDisk disk = copy();
                byte[] content = disk.contents(segments.get(i));
                disk.replaceContents(segments.get(i), disk.contents(segments.get(j)));
                disk.replaceContents(segments.get(j), content);
                judge(disk, segments.get(i) + " and " + segments.get(j) + " exchanged");
            }
        }
        assertThat(told).isZero();
    }

    @Test
    void segmentOfAnotherStoreIsRefusedByName() throws IOException {
        SimulatedDisk other = new SimulatedDisk();
        try (ObjectStore store = open(other)) {
            StoreWorkload.history(1, 20).run(store);
        }
        byte[] strange = segments(other).values().iterator().next();
        for (Path segment : segments(copy()).keySet()) {
            SimulatedDisk disk = copy();
            disk.replaceContents(segment, strange);
            assertThatThrownBy(() -> open(disk))
                    .isInstanceOf(UnsupportedFormatException.class)
                    .hasMessageContaining(segment.toString())
                    .hasMessageContaining("another store");
            judge(disk, "foreign " + segment);
        }
    }

    /** Copies from earlier lives of the file, and from the last one, which a backup of single files leaves. */
    @Test
    void olderCopyOfASegmentIsToldOrHarmless() throws IOException {
        for (int moment = 0; moment < earlier.size(); moment++) {
            for (Map.Entry<Path, byte[]> segment : earlier.get(moment).entrySet()) {
                SimulatedDisk disk = copy();
                JournalFiles.put(disk, segment.getKey(), segment.getValue());
                judge(disk, segment.getKey() + " as of moment=" + moment);
            }
        }
        assertThat(told).isGreaterThan(10);
        assertThat(harmless).isGreaterThan(5);
    }

    @Test
    void newerFormatIsRefusedByName() throws IOException {
        SimulatedDisk disk = copy();
        Path segment = segments(disk).keySet().iterator().next();
        byte[] content = disk.contents(segment);
        content[SegmentFormat.VERSION_OFFSET] = SegmentFormat.VERSION + 1;
        JournalFiles.signHeader(content);
        disk.replaceContents(segment, content);
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining(segment.toString())
                .hasMessageContaining("version 2");
        judge(disk, "newer format");
    }

    /** Runs of blocks, as a misdirected write leaves them, from every segment and moment to any other place. */
    @Test
    void blocksInPlacesOfOthersAreToldOrHarmless() throws IOException {
        Random random = new Random(7);
        List<Path> segments = List.copyOf(segments(copy()).keySet());
        for (int i = 0; i < (FULL ? 100_000 : 1_000); i++) {
            SimulatedDisk disk = copy();
            Path source = segments.get(random.nextInt(segments.size()));
            Path target = segments.get(random.nextInt(segments.size()));
            byte[] from = random.nextBoolean()
                    ? disk.contents(source)
                    : earlier.get(random.nextInt(earlier.size())).getOrDefault(source, disk.contents(source));
            byte[] into = disk.contents(target);
            int blocks = 1 + random.nextInt(8);
            int at = BLOCK_BYTES * random.nextInt(SEGMENT_BYTES / BLOCK_BYTES - blocks);
            int to = random.nextInt(3) == 0 ? at : BLOCK_BYTES * random.nextInt(SEGMENT_BYTES / BLOCK_BYTES - blocks);
            System.arraycopy(from, at, into, to, blocks * BLOCK_BYTES);
            disk.replaceContents(target, into);
            judge(disk, source + " offset=" + at + " written to " + target + " offset=" + to + " i=" + i);
        }
        assertThat(told).isGreaterThan(100);
        assertThat(harmless).isGreaterThan(100);
    }

    /** Whoever knows the format can make any number fit its checksum; it may change the store, it must not break it. */
    @Test
    void numbersThatLieWithFittingChecksumsBreakNothing() throws IOException {
        long[] values = {
            0,
            1,
            -1,
            7,
            63,
            64,
            65,
            512,
            65_535,
            65_536,
            65_537,
            1 << 30,
            Integer.MAX_VALUE,
            Integer.MIN_VALUE,
            1L << 40,
            1L << 62,
            Long.MAX_VALUE,
            Long.MIN_VALUE
        };
        Random random = new Random(8);
        byte[] storeId = JournalFiles.storeId(copy(), DIRECTORY);
        for (Path segment : segments(copy()).keySet()) {
            List<Integer> batches = JournalFiles.batches(copy().contents(segment), BLOCK_BYTES);
            for (int field = 0; field < SegmentFormat.SEGMENT_CRC_OFFSET; field += 4) {
                for (int i = 0; i < (FULL ? values.length : 4); i++) {
                    forge(segment, -1, -1, field, values[FULL ? i : random.nextInt(values.length)], storeId);
                }
            }
            for (int i = 0; i < (FULL ? 30_000 : 150) && !batches.isEmpty(); i++) {
                int batch = batches.get(random.nextInt(batches.size()));
                int record = random.nextBoolean() ? -1 : batch + SegmentFormat.BATCH_HEADER_BYTES;
                int field = 4 * random.nextInt((record < 0 ? SegmentFormat.BATCH_HEADER_BYTES : 40) / 4);
                forge(segment, batch, record, field, values[random.nextInt(values.length)], storeId);
            }
        }
        assertThat(told).isGreaterThan(100);
        assertThat(harmless).isGreaterThan(100);
    }

    private void forge(Path segment, int batch, int record, int field, long value, byte[] storeId) throws IOException {
        SimulatedDisk disk = copy();
        byte[] content = disk.contents(segment);
        ByteBuffer bytes = ByteBuffer.wrap(content).order(SegmentFormat.ORDER);
        int at = Math.max(0, Math.max(batch, record)) + field;
        if (field % 8 == 0 && Math.abs(value) > Integer.MAX_VALUE) {
            bytes.putLong(at, value);
        } else {
            bytes.putInt(at, (int) value);
        }
        if (batch < 0) {
            JournalFiles.signHeader(content);
        } else {
            if (record >= 0) {
                JournalFiles.signRecord(content, record, storeId);
            }
            JournalFiles.signBatch(content, batch);
        }
        disk.replaceContents(segment, content);
        String where = segment + " offset=" + at + " value=" + value;
        Map<Path, byte[]> before = segments(disk);
        long heap = allocatedBytes();
        long direct = directBytes();
        try (ObjectStore store = open(disk)) {
            for (String type : store.types()) {
                store.keys(type).forEach(key -> readOrRefuse(store, key));
            }
            store.write(key(1), new byte[10], Durability.FORCED);
            harmless++;
        } catch (CorruptStoreException | UnsupportedFormatException refused) {
            assertThat(refused).as(where).hasMessageContaining(DIRECTORY.toString());
            assertUnchanged(before, segments(disk), where);
            told++;
            return;
        } catch (RuntimeException | Error other) {
            throw new AssertionError(where + ": " + other, other);
        } finally {
            assertThat(allocatedBytes() - heap).as(where).isLessThan(LARGEST_ALLOCATION);
            assertThat(directBytes() - direct).as(where).isLessThan(LARGEST_ALLOCATION);
        }
        try (ObjectStore again = open(disk)) {
            assertThat(again.read(key(1))).as(where).hasValue(new byte[10]);
        } catch (RuntimeException other) {
            throw new AssertionError(where + ", opened a second time: " + other, other);
        }
    }

    private static void readOrRefuse(ObjectStore store, StateKey key) {
        try {
            store.read(key);
        } catch (CorruptStoreException told) {
            assertThat(told).hasMessageContaining(DIRECTORY.toString());
        }
    }

    /** Then there is no room left for the batch that says so. */
    @Test
    void lastBatchIsNotTakenForATornOneAfterACloseThatFoundTheSegmentFull() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        int batches = SEGMENT_BYTES / BLOCK_BYTES - 1;
        try (ObjectStore store = open(disk)) {
            for (int i = 0; i < batches; i++) {
                store.write(key(i), state(i), Durability.FORCED);
            }
        }
        Path first = DIRECTORY.resolve(SegmentFormat.fileName(1));
        byte[] content = disk.contents(first);
        int last = SEGMENT_BYTES - BLOCK_BYTES;
        assertThat(JournalFiles.batches(content, BLOCK_BYTES)).as("full").contains(last);
        content[last + 200] ^= 1;
        disk.replaceContents(first, content);

        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining(first + " offset=" + last);
    }

    @Test
    void storeOpenedWithLargerRecordsKeepsThemAndTakesNoFileThatIsTooSmall() throws IOException {
        SimulatedDisk disk = copy();
        for (int life = 0; life < 3; life++) {
            ObjectStore store = openLarge(disk);
            oracle.checkRecovered(store);
            try (ObjectStore watched = oracle.watch(store)) {
                for (int i = 0; i < 10; i++) {
                    byte[] state = new byte[200_000];
                    new Random(100 * life + i).nextBytes(state);
                    watched.write(key(1000 + i), state, Durability.FORCED);
                }
            }
        }
        try (ObjectStore store = openLarge(disk)) {
            oracle.checkRecovered(store);
        }
        assertThat(segments(disk).values())
                .extracting(content -> content.length)
                .containsOnly(1024 * 1024);
    }

    @Test
    void segmentSizeThatDirectWritesCannotEndAtIsAConfigurationError() {
        assertThatThrownBy(() -> JournalStores.open(
                        JournalStores.small(DIRECTORY, "segmented", "direct")
                                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) SEGMENT_BYTES + BLOCK_BYTES)
                                .set(StoreOption.JOURNAL_BLOCK_SIZE, (long) BLOCK_BYTES)
                                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                        new SimulatedDisk()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.journal.segment-size")
                .hasMessageContaining("4096");
    }

    /** Opens with exactly what was acknowledged, or is refused and not changed. */
    private void judge(SimulatedDisk disk, String where) throws IOException {
        Map<Path, byte[]> before = segments(disk);
        try (ObjectStore store = open(disk)) {
            oracle.copy().checkRecovered(store);
            harmless++;
        } catch (CorruptStoreException | UnsupportedFormatException refused) {
            assertThat(refused).as(where).hasMessageContaining(DIRECTORY.toString());
            assertUnchanged(before, segments(disk), where);
            told++;
        } catch (AssertionError | StoreException violated) {
            throw new AssertionError(where + ": " + violated.getMessage(), violated);
        }
    }

    private static void assertUnchanged(Map<Path, byte[]> before, Map<Path, byte[]> after, String where) {
        assertThat(after.keySet()).as(where).isEqualTo(before.keySet());
        after.forEach((path, content) -> assertThat(Arrays.equals(content, before.get(path)))
                .as("%s: %s is unchanged", where, path)
                .isTrue());
    }

    private SimulatedDisk copy() {
        return original.crash(1);
    }

    private static Map<Path, byte[]> segments(SimulatedDisk disk) throws IOException {
        Map<Path, byte[]> segments = new TreeMap<>();
        for (Path path : disk.list(DIRECTORY)) {
            if (!StoreDirectory.isOwnFile(path) && SegmentFormat.fileNumber(path) >= 0) {
                segments.put(path, disk.contents(path));
            }
        }
        return segments;
    }

    private static long allocatedBytes() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getTotalCapacity)
                .sum();
    }

    private static ObjectStore open(Disk disk) {
        return SegmentedRotTest.open(disk, DIRECTORY);
    }

    private static ObjectStore openLarge(Disk disk) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", "channel")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, StoreOption.MIB)
                        .set(StoreOption.JOURNAL_BLOCK_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 256 * StoreOption.KIB),
                disk);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    private static byte[] state(int number) {
        byte[] state = new byte[300];
        Arrays.fill(state, (byte) number);
        return state;
    }
}
