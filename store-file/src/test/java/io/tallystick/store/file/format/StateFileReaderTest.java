package io.tallystick.store.file.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.StateImage;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every file that was written is read back, and of every other file it is said what is wrong with it, and where. */
class StateFileReaderTest {
    private static final Path FILE = Path.of("/0a1b.state");
    private static final byte[] STORE = "sixteen bytes id".getBytes(StandardCharsets.US_ASCII);
    private static final StateKey KEY = StateKey.of("/Some/Type", ObjectId.parse("0a1b"));
    private static final byte[] COMMITTED = "committed".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SHADOW = "the shadow".getBytes(StandardCharsets.US_ASCII);

    private final SimulatedDisk disk = new SimulatedDisk();

    @BeforeEach
    void createFile() throws IOException {
        disk.open(FILE, OpenMode.CREATE_NEW).close();
    }

    @ParameterizedTest
    @CsvSource({
        "0, -1, false",
        "1, -1, false",
        "600, -1, true",
        "-1, 0, false",
        "-1, 600, true",
        "0, 0, true",
        "3000, 3000, false",
        "3996, -1, false",
        "4005, -1, false",
        "4006, -1, true",
        "4007, -1, false",
        "4008, -1, false",
        "100000, 200000, true"
    })
    void whatWasWrittenIsReadBack(int committedBytes, int shadowBytes, boolean hidden) throws IOException {
        StateImage image = StateImage.of(bytes(committedBytes), bytes(shadowBytes), hidden);

        StateFileReader.Content content = read(encoded(image));

        assertThat(content.key()).isEqualTo(KEY);
        assertThat(content.image().committed()).isEqualTo(image.committed());
        assertThat(content.image().shadow()).isEqualTo(image.shadow());
        assertThat(content.image().isHidden()).isEqualTo(hidden);
        assertThat(content.opening()).isEqualTo(-7);
        assertThat(content.sequence()).isEqualTo(42);
    }

    @Test
    void aFileHasAWholeNumberOfBlocks() {
        int overhead =
                StateFileFormat.HEADER_BYTES + KEY.type().length() + KEY.id().length();
        assertThat(encoded(StateImage.ABSENT.write(bytes(4096 - overhead)))).hasSize(4096);
        assertThat(encoded(StateImage.ABSENT.write(bytes(4097 - overhead)))).hasSize(8192);
    }

    @Test
    void everyFlippedBitIsNoticed() throws IOException {
        byte[] file = encoded(StateImage.of(COMMITTED, SHADOW, true));
        for (int bit = 0; bit < file.length * 8; bit++) {
            byte[] damaged = file.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            int offset = bit / 8;
            assertThatThrownBy(() -> read(damaged))
                    .as("bit=" + bit)
                    .isInstanceOfSatisfying(CorruptStoreException.class, corrupt -> {
                        assertThat(corrupt.file()).isEqualTo(FILE);
                        assertThat(corrupt.offset()).isBetween(0L, Math.max(offset, 60L));
                    });
        }
    }

    @Test
    void everyTruncationIsNoticed() throws IOException {
        byte[] file = encoded(StateImage.of(COMMITTED, SHADOW, false));
        for (int size = 0; size < file.length; size++) {
            byte[] truncated = Arrays.copyOf(file, size);
            int expected = size;
            assertThatThrownBy(() -> read(truncated))
                    .as("size=" + size)
                    .isInstanceOfSatisfying(CorruptStoreException.class, corrupt -> assertThat(corrupt.offset())
                            .isEqualTo(expected));
        }
    }

    @Test
    void bytesTooManyAreNoticed() {
        byte[] file = encoded(StateImage.of(COMMITTED, null, false));
        assertThatThrownBy(() -> read(Arrays.copyOf(file, file.length + 1)))
                .isInstanceOfSatisfying(CorruptStoreException.class, corrupt -> assertThat(corrupt.offset())
                        .isEqualTo(file.length));
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 1024, 2048})
    void aFileOfTwoHalvesFromDifferentWritesIsNoticed(int seam) throws IOException {
        byte[] file = encoded(StateImage.ABSENT.write(bytes(3000)));
        byte[] other = new StateFileEncoder(STORE, -7)
                .encode(KEY, typeBytes(KEY), StateImage.ABSENT.write(new byte[3000]), 43)
                .array();
        System.arraycopy(other, seam, file, seam, file.length - seam);
        assertThatThrownBy(() -> read(file)).isInstanceOf(CorruptStoreException.class);
    }

    @Test
    void aFileOfAnotherStoreIsRefusedNamingBothStores() {
        byte[] stranger = STORE.clone();
        stranger[0]++;
        assertThatThrownBy(() ->
                        new StateFileReader(FILE, stranger).read(with(encoded(StateImage.ABSENT.write(COMMITTED)))))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("73697874-6565-6e20-6279-746573206964")
                .hasMessageContaining("74697874-6565-6e20-6279-746573206964");
    }

    @Test
    void aNewerFormatIsRefusedAsSuch() {
        byte[] newer = forged(header -> header.putShort(StateFileFormat.VERSION_OFFSET, (short) 2));
        assertThatThrownBy(() -> read(newer))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("format version 2")
                .hasMessageContaining(FILE.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "8, 2, 0, 8", // version
        "10, 1, 0, 10", // neither value
        "10, 1, 4, 10", // hidden and neither value
        "10, 1, 9, 10", // unknown flag
        "10, 1, 2, 48", // a committed length without the value
        "11, 1, 0, 11", // id
        "11, 1, 65, 11",
        "12, 2, 0, 12", // type
        "12, 2, 1, 12",
        "12, 2, 1025, 12",
        "12, 2, 65535, 12",
        "14, 2, 1, 14", // reserved
        "48, 4, 2147483647, 4096",
        "48, 4, -1, 48",
        "52, 4, 2147483647, 52",
        "52, 4, -2147483648, 52",
    })
    void aForgedFieldWithARightChecksumIsRefusedBeforeMemoryIsTakenForIt(
            int offset, int size, int value, long refusedAt) {
        byte[] file = forged(header -> {
            switch (size) {
                case 1 -> header.put(offset, (byte) value);
                case 2 -> header.putShort(offset, (short) value);
                default -> header.putInt(offset, value);
            }
        });
        assertThatThrownBy(() -> read(file))
                .isInstanceOfSatisfying(CorruptStoreException.class, corrupt -> assertThat(corrupt.offset())
                        .isEqualTo(refusedAt));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 64", "1023, 1", "1023, 64"})
    void theShortestAndTheLongestNamesAreReadBack(int typeBytes, int idBytes) throws IOException {
        StateKey key = StateKey.of("/" + "t".repeat(typeBytes), ObjectId.of(new byte[idBytes]));
        byte[] file = new StateFileEncoder(STORE, 1)
                .encode(key, typeBytes(key), StateImage.ABSENT.write(COMMITTED), 1)
                .array();
        assertThat(read(file).key()).isEqualTo(key);
    }

    @Test
    void aFileThatIsReadForRecoveryIsForced() throws IOException {
        StateFileReader reader = new StateFileReader(FILE, STORE);
        byte[] file = encoded(StateImage.ABSENT.write(COMMITTED));
        try (DiskFile written = disk.open(FILE, OpenMode.READ_WRITE)) {
            written.writeFully(ByteBuffer.wrap(file), 0);
        }
        disk.forceDirectory(FILE.getParent());

        reader.readForced(disk);

        for (long seed = 0; seed < 20; seed++) {
            assertThat(reader.read(disk.crash(seed)).key()).as("seed=" + seed).isEqualTo(KEY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"noslash!", "/a//bcde", "/abcdef/", "\u00ff"})
    void aTypeThatIsNoneIsRefused(String type) {
        byte[] bytes = type.equals("\u00ff") ? new byte[] {'/', (byte) 0xff} : type.getBytes(StandardCharsets.US_ASCII);
        byte[] file = new StateFileEncoder(STORE, 1)
                .encode(KEY, bytes, StateImage.ABSENT.write(COMMITTED), 1)
                .array();
        assertThatThrownBy(() -> read(file)).isInstanceOf(CorruptStoreException.class);
    }

    @Test
    void aStateThatHoldsAWholeStateFileIsAStateAndNothingElse() throws IOException {
        byte[] inner = encoded(StateImage.ABSENT.write(COMMITTED));
        assertThat(read(encoded(StateImage.ABSENT.write(inner))).image().committed())
                .isEqualTo(inner);
    }

    private byte[] forged(Consumer<ByteBuffer> forgery) {
        ByteBuffer file =
                ByteBuffer.wrap(encoded(StateImage.ABSENT.write(COMMITTED))).order(ByteOrder.LITTLE_ENDIAN);
        forgery.accept(file);
        file.putInt(
                StateFileFormat.HEADER_CHECKSUM_OFFSET,
                StateFileFormat.checksum(file.array(), 0, StateFileFormat.HEADER_CHECKSUM_OFFSET));
        return file.array();
    }

    private StateFileReader.Content read(byte[] file) throws IOException {
        return new StateFileReader(FILE, STORE).read(with(file));
    }

    private Disk with(byte[] file) throws IOException {
        disk.replaceContents(FILE, file);
        return disk;
    }

    private static byte[] encoded(StateImage image) {
        return new StateFileEncoder(STORE, -7)
                .encode(KEY, typeBytes(KEY), image, 42)
                .array();
    }

    private static byte[] typeBytes(StateKey key) {
        return key.type().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(int length) {
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 + 1);
        }
        return bytes;
    }
}
