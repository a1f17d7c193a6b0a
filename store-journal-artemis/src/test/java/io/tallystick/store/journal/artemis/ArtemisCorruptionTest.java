package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage is told, or harmless; it never changes or hides what was acknowledged. */
@Tag("long")
class ArtemisCorruptionTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final int FILE_BYTES = 64 * 1024;
    private static final int LIVE = 12;
    private static final int STATE_BYTES = 900;

    /** Dead, so that each test may have copies. Some files hold batches, some have held some, some never have. */
    private final SimulatedDisk original = new SimulatedDisk();

    @BeforeEach
    void fill() throws IOException {
        original.createDirectory(DIRECTORY);
        try (ObjectStore store = open(original)) {
            for (int i = 0; i < 300; i++) {
                store.write(key(i), state(i), i % 10 == 0 ? Durability.FORCED : Durability.DEFERRED);
                if (i % (300 / LIVE) != 0) {
                    store.remove(key(i), Durability.DEFERRED);
                }
            }
            store.force();
        }
    }

    @Test
    void everyDamagedByteIsToldOrHarmless() throws IOException {
        Random random = new Random(1);
        int told = 0;
        int harmless = 0;
        for (Path path : files(copy())) {
            int step = 1;
            for (int offset = 0; offset < FILE_BYTES; offset += step) {
                SimulatedDisk disk = copy();
                flip(disk, path, offset, 1 << random.nextInt(8));
                try (ObjectStore store = open(disk)) {
                    assertHoldsAll(store, path + " offset=" + offset);
                    assertThat(store.keys("/T"))
                            .as("%s offset=%d", path, offset)
                            .hasSize(LIVE);
                    harmless++;
                } catch (CorruptStoreException | UnsupportedFormatException damaged) {
                    assertThat(damaged).hasMessageContaining("/store");
                    told++;
                }
                // Every byte of the header, then some.
                step = offset < ArtemisFormat.HEADER_BYTES ? 1 : 1 + random.nextInt(400);
            }
        }
        assertThat(told).isGreaterThan(100);
        assertThat(harmless).isGreaterThan(100);
    }

    @Test
    void everyTruncationIsTold() throws IOException {
        for (Path path : files(copy())) {
            for (int size : new int[] {0, 1, 15, 16, 79, 80, 4095, 4096, 4097, 10_000, FILE_BYTES - 1}) {
                SimulatedDisk disk = copy();
                try (DiskFile file = disk.open(path, OpenMode.READ_WRITE)) {
                    file.truncate(size);
                }
                assertThatThrownBy(() -> open(disk))
                        .as("%s size=%d", path, size)
                        .isInstanceOf(CorruptStoreException.class)
                        .hasMessageContaining(path.toString());
            }
        }
    }

    @Test
    void missingFileIsToldIfItWasNeeded() throws IOException {
        int told = 0;
        for (Path path : files(copy())) {
            SimulatedDisk disk = copy();
            disk.delete(path);
            try (ObjectStore store = open(disk)) {
                assertHoldsAll(store, "without " + path);
            } catch (CorruptStoreException missing) {
                told++;
            }
        }
        assertThat(told).isGreaterThanOrEqualTo(2);
    }

    @Test
    void storeWithoutAnyFileIsToldAndNotTakenForANewOne() throws IOException {
        SimulatedDisk disk = copy();
        for (Path path : files(disk)) {
            disk.delete(path);
        }
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("all files of the journal are missing");
    }

    @Test
    void copyOfAFileUnderAnotherNameIsTold() throws IOException {
        SimulatedDisk disk = copy();
        Path source = files(disk).get(0);
        write(disk, DIRECTORY.resolve("tallystick-999.jnl"), read(disk, source));
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("one is a copy");
    }

    @Test
    void olderCopyOfAFileIsTold() throws IOException {
        SimulatedDisk before = copy();
        SimulatedDisk disk = copy();
        try (ObjectStore store = open(disk)) {
            for (int i = 1000; i < 1300; i++) {
                store.write(key(i), state(i), i % 10 == 0 ? Durability.FORCED : Durability.DEFERRED);
            }
        }
        SimulatedDisk after = disk;
        after.crash(1); // dead, for copies
        int told = 0;
        for (Path path : files(after.crash(1))) {
            SimulatedDisk spliced = after.crash(1);
            if (spliced.kindOf(path) == Disk.PathKind.FILE && before.kindOf(path) == Disk.PathKind.FILE) {
                write(spliced, path, read(before, path));
                try (ObjectStore store = open(spliced)) {
                    assertHoldsAll(store, "older " + path);
                    for (int i = 1000; i < 1300; i++) {
                        assertThat(store.read(key(i))).hasValue(state(i));
                    }
                } catch (CorruptStoreException stale) {
                    told++;
                }
            }
        }
        assertThat(told).isGreaterThanOrEqualTo(2);
    }

    @Test
    void fileOfAnotherStoreIsRefusedAndNotChanged() throws IOException {
        SimulatedDisk other = new SimulatedDisk();
        other.createDirectory(DIRECTORY);
        try (ObjectStore store = open(other)) {
            store.write(key(1), state(1), Durability.FORCED);
        }
        SimulatedDisk disk = copy();
        Path path = DIRECTORY.resolve("tallystick-777.jnl");
        byte[] strange = read(other, files(other).get(0));
        write(disk, path, strange);
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("another store");
        assertThat(read(disk, path)).isEqualTo(strange);
    }

    @Test
    void fileOfANewerFormatIsRefused() throws IOException {
        SimulatedDisk disk = copy();
        Path path = files(disk).get(0);
        byte[] content = read(disk, path);
        content[ArtemisFormat.HEADER_VERSION_OFFSET] = ArtemisFormat.VERSION + 1;
        write(disk, path, content);
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("newer format");
    }

    @Test
    void fileOfAStockArtemisJournalIsRefused() throws IOException {
        SimulatedDisk disk = copy();
        byte[] content = new byte[FILE_BYTES];
        ByteBuffer.wrap(content).putInt(2).putInt(0).putLong(7);
        write(disk, DIRECTORY.resolve("tallystick-777.jnl"), content);
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("Artemis");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tallystick-3.jnl.cmp", "tallystick-3.jnl.bkp", "journal-rename-control.ctr"})
    void leftOverOfACompactionIsRefused(String name) throws IOException {
        SimulatedDisk disk = copy();
        write(disk, DIRECTORY.resolve(name), new byte[100]);
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining(name);
    }

    @Test
    void unfinishedFileIsDeletedAndAStrangersFileIsNot() throws IOException {
        SimulatedDisk disk = copy();
        Path unfinished = DIRECTORY.resolve("tallystick-999.jnl.tmp");
        Path strange = DIRECTORY.resolve("notes.txt");
        write(disk, unfinished, new byte[100]);
        write(disk, strange, new byte[100]);
        try (ObjectStore store = open(disk)) {
            assertHoldsAll(store, "with left-overs");
        }
        assertThat(disk.kindOf(unfinished)).isEqualTo(Disk.PathKind.MISSING);
        assertThat(disk.kindOf(strange)).isEqualTo(Disk.PathKind.FILE);
    }

    @Test
    void lastBatchIsNotTakenForATornOneAfterAnOrderlyClose() throws IOException {
        SimulatedDisk disk = copy();
        try (ObjectStore store = open(disk)) {
            store.write(key(5000), state(5000), Durability.FORCED);
        }
        Path newest = fileWith(disk, state(5000));
        flip(disk, newest, indexOf(read(disk, newest), state(5000)) + 10, 1);
        assertThatThrownBy(() -> open(disk)).isInstanceOf(CorruptStoreException.class);
    }

    @Test
    void theOnlyFileWithBatchesIsMissedAfterAnOrderlyClose() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        storeOfOneFile(disk, 1);
        disk.delete(fileWith(disk, state(1)));
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("a file is missing or damaged");
    }

    @Test
    void anOlderCopyOfTheOnlyFileWithBatchesIsTold() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        storeOfOneFile(disk, 1);
        Path only = fileWith(disk, state(1));
        byte[] older = read(disk, only);
        storeOfOneFile(disk, 2);
        assertThat(fileWith(disk, state(2))).isEqualTo(only);
        write(disk, only, older);
        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("a file is missing or damaged");
    }

    @Test
    void theNewestFileIsMissedAfterAnOrderlyClose() throws IOException {
        SimulatedDisk disk = copy();
        try (ObjectStore store = open(disk)) {
            for (int i = 5000; i < 5100; i++) {
                store.write(key(i), state(i), Durability.FORCED);
            }
        }
        disk.delete(fileWith(disk, state(5099)));
        assertThatThrownBy(() -> open(disk)).isInstanceOf(CorruptStoreException.class);
    }

    /** All spare files are there before the first write, so that none is made later, whose header would know of it. */
    private static void storeOfOneFile(SimulatedDisk disk, int number) {
        try (ObjectStore store = JournalStores.open(small().set(StoreOption.JOURNAL_SEGMENTS, 6), disk)) {
            store.write(key(number), state(number), Durability.FORCED);
        }
    }

    private static Path fileWith(Disk disk, byte[] state) throws IOException {
        for (Path path : files(disk)) {
            if (indexOf(read(disk, path), state) >= 0) {
                return path;
            }
        }
        throw new AssertionError("no file holds it");
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2"})
    void batchesWithinAStateAreNeverTakenForBatches(int seed) throws IOException {
        SimulatedDisk disk = copy();
        byte[] journal = read(disk, files(disk).get(seed));
        byte[] hidden = Arrays.copyOfRange(journal, ArtemisFormat.DATA_OFFSET, ArtemisFormat.DATA_OFFSET + 7000);
        try (ObjectStore store = open(disk)) {
            for (int i = 0; i < 20; i++) {
                store.write(key(7000 + i), hidden, Durability.FORCED);
                store.remove(key(7000 + i), Durability.DEFERRED);
            }
            store.write(key(9000), hidden, Durability.FORCED);
        }
        try (ObjectStore store = open(disk)) {
            assertHoldsAll(store, "with journals in states");
            assertThat(store.read(key(9000))).hasValue(hidden);
            assertThat(store.keys("/T")).hasSize(LIVE + 1);
        }
    }

    /** The stock loader takes all bytes that look like a record, also those of earlier lives of a file. */
    @Test
    void deletionsWithinStatesDeleteNothing() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        disk.createDirectory(DIRECTORY);
        ByteBuffer deletions = ByteBuffer.allocate(100 * ArtemisFormat.DELETE_BYTES);
        for (int fileId = 1; fileId <= 100; fileId++) {
            deletions.put((byte) 16).putInt(fileId).put((byte) 0).putLong(1).putInt(ArtemisFormat.DELETE_BYTES);
        }
        try (ObjectStore store = open(disk)) {
            store.write(key(1), state(1), Durability.FORCED);
            for (int i = 0; i < 200; i++) {
                store.write(key(1000), deletions.array(), Durability.FORCED);
            }
        }
        for (int round = 0; round < 10; round++) {
            try (ObjectStore store = open(disk)) {
                assertThat(store.read(key(1))).hasValue(state(1));
                assertThat(store.read(key(1000))).hasValue(deletions.array());
                store.write(key(1000), deletions.array(), Durability.FORCED);
            }
        }
    }

    private static void assertHoldsAll(ObjectStore store, String where) {
        for (int i = 0; i < 300; i += 300 / LIVE) {
            assertThat(store.read(key(i))).as("%s key=%d", where, i).hasValue(state(i));
        }
    }

    private SimulatedDisk copy() {
        return original.crash(1);
    }

    private static List<Path> files(Disk disk) throws IOException {
        return disk.list(DIRECTORY).stream()
                .filter(path -> path.toString().endsWith(".jnl"))
                .sorted()
                .toList();
    }

    private static void flip(Disk disk, Path path, int offset, int bits) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ_WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.readFully(one, offset);
            one.put(0, (byte) (one.get(0) ^ bits)).clear();
            file.writeFully(one, offset);
        }
    }

    private static byte[] read(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            ByteBuffer content = ByteBuffer.allocate((int) file.size());
            file.readFully(content, 0);
            return content.array();
        }
    }

    private static void write(Disk disk, Path path, byte[] content) throws IOException {
        boolean isNew = disk.kindOf(path) == Disk.PathKind.MISSING;
        try (DiskFile file = disk.open(path, isNew ? OpenMode.CREATE_NEW : OpenMode.READ_WRITE)) {
            file.writeFully(ByteBuffer.wrap(content), 0);
        }
    }

    private static int indexOf(byte[] content, byte[] wanted) {
        for (int at = 0; at + wanted.length <= content.length; at++) {
            if (Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)) {
                return at;
            }
        }
        return -1;
    }

    private static ObjectStore open(Disk disk) {
        return JournalStores.open(small(), disk);
    }

    private static StoreConfiguration.Builder small() {
        return JournalStores.small(DIRECTORY, "artemis", "channel")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) FILE_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    private static byte[] state(int number) {
        byte[] state = new byte[STATE_BYTES];
        new Random(number).nextBytes(state);
        return state;
    }
}
