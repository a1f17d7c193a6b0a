package io.tallystick.store.journal.artemis;

import static io.tallystick.store.journal.artemis.JournalFileBytes.deletion;
import static io.tallystick.store.journal.artemis.JournalFileBytes.image;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.artemis.FileScanner.Use;
import io.tallystick.store.journal.io.DamageListener;
import io.tallystick.store.spi.Damage;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which batches of a file count, and what is said of the others. */
class FileScannerTest {
    private static final byte[] STORE_ID = ArtemisFixture.STORE_ID;
    private static final int FILE_BYTES = 8 * 1024;
    private static final FileHeader HEADER = new FileHeader(7, 3, 40, FILE_BYTES);
    private static final Path DIRECTORY = Path.of("/store");
    private static final Path FILE = DIRECTORY.resolve("tallystick-1.jnl");
    private static final DamageListener REFUSING = DamageListener.refusing("a test");

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
    private final List<String> heard = new ArrayList<>();
    private final JournalFileBytes file = new JournalFileBytes(HEADER, STORE_ID);

    FileScannerTest() throws IOException {
        simulated.createDirectory(DIRECTORY);
    }

    private final FileScanner.Records records = new FileScanner.Records() {
        @Override
        public void add(long recordId, ByteBuffer bytes, int bodyAt, int bodyBytes) {
            heard.add("add " + recordId + " body=" + bytes.get(bodyAt) + " length=" + bodyBytes);
        }

        @Override
        public void delete(long recordId) {
            heard.add("delete " + recordId);
        }

        @Override
        public void broken(FileHeader header, ByteBuffer bytes, int at, long sequence) {
            heard.add("broken at=" + at + " sequence=" + sequence);
        }
    };

    private FileScan scan(Use use) throws IOException {
        file.writeTo(simulated, FILE);
        return new FileScanner(disk, STORE_ID, use, REFUSING).scan(FILE, records);
    }

    /** Three batches, the second one behind padding; returns their places. */
    private int[] threeBatches() {
        int first = file.end();
        file.batch(41, 12, Map.of(5L, 39L), image(10, new byte[] {1, 1}), image(11, new byte[] {2}));
        int second = file.end() + 100;
        file.at(second).batch(42, 12, deletion(10));
        int third = file.end();
        file.batch(43, 13, image(12, new byte[] {3}));
        return new int[] {first, second, third};
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void aChainOfWholeBatchesCounts(Use use) throws IOException {
        threeBatches();

        FileScan scan = scan(use);

        assertThat(scan)
                .isEqualTo(new FileScan(
                        FILE,
                        Optional.of(HEADER),
                        file.end(),
                        43,
                        Map.of(5L, 39L),
                        3,
                        1,
                        13,
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        43));
        heard.remove("broken at=" + file.end() + " sequence=44"); // the salvage asks behind the last one
        assertThat(heard)
                .containsExactly(
                        "add 10 body=1 length=2", "add 11 body=2 length=1", "delete 10", "add 12 body=3 length=1");
    }

    @Test
    void aFileWithoutBatchesIsOneWithoutBatches() throws IOException {
        FileScan scan = scan(Use.RECOVERY);

        assertThat(scan.hasBatches()).isFalse();
        assertThat(scan.end()).isEqualTo(ArtemisFormat.DATA_OFFSET);
        assertThat(scan.highestSequence()).isZero();
    }

    @Test
    void theLastBatchIsIgnoredIfItIsTorn() throws IOException {
        int[] places = threeBatches();
        file.flip(file.end() - 1);

        FileScan scan = scan(Use.RECOVERY);

        assertThat(scan.lastSequence()).isEqualTo(42);
        assertThat(scan.end()).isEqualTo(places[2]);
        assertThat(scan.ignoredAt()).hasValue(places[2]);
        assertThat(scan.brokenAt()).isEmpty();
    }

    @Test
    void aLaterBatchProvesThatADamagedOneWasOnDisk() throws IOException {
        int[] places = threeBatches();
        file.flip(places[1] + ArtemisFormat.BATCH_SEQUENCE_OFFSET);

        FileScan scan = scan(Use.RECOVERY);

        assertThat(scan.lastSequence()).isEqualTo(41);
        assertThat(scan.brokenAt()).hasValue(scan.end());
        assertThat(scan.highestSequence()).isEqualTo(43);
    }

    @Test
    void aBatchThatIsMissingEndsTheChain() throws IOException {
        file.batch(41, 11, image(10, new byte[1]));
        int end = file.end();
        file.batch(43, 13, image(12, new byte[1]));

        FileScan scan = scan(Use.INSPECTION);

        assertThat(scan.lastSequence()).isEqualTo(41);
        assertThat(scan.brokenAt()).hasValue(end);
    }

    @Test
    void batchesOfAnEarlierLifeDoNotCount() throws IOException {
        file.batch(41, 11, image(10, new byte[1]));
        int end = file.end();
        file.ofLife(3).batch(20, 5, image(4, new byte[1]));

        FileScan scan = scan(Use.RECOVERY);

        assertThat(scan.lastSequence()).isEqualTo(41);
        assertThat(scan.end()).isEqualTo(end);
        assertThat(scan.brokenAt()).isEmpty();
        assertThat(scan.ignoredAt()).isEmpty();
        assertThat(heard).containsExactly("add 10 body=0 length=1");
    }

    @Test
    void batchesBehindABrokenOneAreSaved() throws IOException {
        int[] places = threeBatches();
        file.flip(places[1] + ArtemisFormat.BATCH_SEQUENCE_OFFSET);

        FileScan scan = scan(Use.SALVAGE);

        int firstEnd = places[1] - 100;
        assertThat(scan.lastSequence()).isEqualTo(43);
        assertThat(scan.brokenAt()).hasValue(firstEnd);
        assertThat(heard)
                .containsExactly(
                        "add 10 body=1 length=2",
                        "add 11 body=2 length=1",
                        "broken at=" + firstEnd + " sequence=42",
                        "add 12 body=3 length=1",
                        "broken at=" + file.end() + " sequence=44");
    }

    @Test
    void aFileWithADamagedHeaderCountsForNothingExceptWhenItIsSaved() throws IOException {
        file.ofLife(3).batch(20, 5, image(4, new byte[1])).ofLife(7).batch(41, 11, image(10, new byte[] {9}));
        file.flip(ArtemisFormat.HEADER_FILE_ID_OFFSET);

        FileScan recovered = scan(Use.RECOVERY);

        assertThat(recovered.header()).isEmpty();
        assertThat(recovered.hasBatches()).isFalse();
        assertThat(recovered.highestSequence()).isEqualTo(41);
        assertThat(heard).isEmpty();
        FileScan saved = new FileScanner(disk, STORE_ID, Use.SALVAGE, REFUSING).scan(FILE, records);
        assertThat(saved.fileId()).isEqualTo(7);
        assertThat(heard).contains("add 10 body=9 length=1");
    }

    /** Else a power cut takes away what recovery has built on. */
    @Test
    void recoveryForcesTheFileAndALookDoesNot() throws IOException {
        threeBatches();
        scan(Use.RECOVERY);
        assertThat(disk.count(DiskOperation.FORCE)).isEqualTo(1);

        new FileScanner(disk, STORE_ID, Use.INSPECTION, REFUSING).scan(FILE);

        assertThat(disk.count(DiskOperation.FORCE)).isEqualTo(1);
    }

    @Test
    void theNewestBatchOfAllFilesIsRemembered() throws IOException {
        int[] places = threeBatches();
        file.writeTo(simulated, FILE);
        Path other = DIRECTORY.resolve("tallystick-2.jnl");
        new JournalFileBytes(new FileHeader(5, 0, 0, FILE_BYTES), STORE_ID)
                .batch(39, 9, image(8, new byte[1]))
                .writeTo(simulated, other);
        FileScanner scanner = new FileScanner(disk, STORE_ID);
        assertThat(scanner.newestBatch()).isNull();

        scanner.scan(FILE);
        scanner.scan(other);

        assertThat(scanner.newestBatch().path()).isEqualTo(FILE);
        assertThat(scanner.newestBatch().position()).isEqualTo(places[2]);
        assertThat(scanner.newestBatch().bytes()).hasSize(file.end() - places[2]);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, ArtemisFormat.DATA_OFFSET - 1})
    void aFileThatIsTooShortIsDamaged(int size) throws IOException {
        simulated.open(FILE, OpenMode.CREATE_NEW).close();
        simulated.replaceContents(FILE, new byte[size]);

        assertThatThrownBy(() -> new FileScanner(disk, STORE_ID).scan(FILE))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining(size + " bytes");
    }

    @Test
    void aSizeThatIsNotTheHeadersIsTold() throws IOException {
        file.writeTo(simulated, FILE);
        simulated.replaceContents(FILE, Arrays.copyOf(file.array(), FILE_BYTES - 512));
        List<String> told = new ArrayList<>();
        DamageListener listener = (path, offset, kind, reason) -> told.add(offset + " " + kind + " " + reason);

        new FileScanner(disk, STORE_ID, Use.INSPECTION, listener).scan(FILE);

        assertThat(told)
                .containsExactly((FILE_BYTES - 512) + " " + Damage.Kind.HEADER + " the file has " + (FILE_BYTES - 512)
                        + " bytes, but its header says " + FILE_BYTES);
    }

    @Test
    void aFileOfAnotherStoreIsRefused() throws IOException {
        file.writeTo(simulated, FILE);

        assertThatThrownBy(() -> new FileScanner(disk, new byte[16]).scan(FILE))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("another store");
    }

    @Test
    void aFileOfALaterVersionIsRefused() {
        file.bytes().order(ArtemisFormat.ORDER).putInt(ArtemisFormat.HEADER_VERSION_OFFSET, 2);

        assertThatThrownBy(() -> scan(Use.RECOVERY))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("newer format");
    }

    @Test
    void aFileOfArtemisAloneIsRefused() {
        file.bytes().putInt(ArtemisFormat.USER_VERSION_OFFSET, 0).putLong(ArtemisFormat.HEADER_MAGIC_OFFSET, 0);

        assertThatThrownBy(() -> scan(Use.RECOVERY))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("written by Artemis");
    }

    /** The checksum fits: a program has written it so. */
    @Test
    void aBatchWithFewerRecordsThanItsHeaderSaysIsDamaged() {
        file.batch(41, 11, Map.of(), 2, image(10, new byte[1]));

        assertThatThrownBy(() -> scan(Use.RECOVERY))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("record 1 of batch 41 is not one");
    }

    @Test
    void aBatchWithMoreRecordsThanItsHeaderSaysIsDamaged() {
        file.batch(41, 11, Map.of(), 1, image(10, new byte[1]), deletion(10));

        assertThatThrownBy(() -> scan(Use.RECOVERY))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("bytes behind its last record");
    }
}
