package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreIdentityTest {
    private static final String KIND = "journal-segmented-v1";

    @TempDir
    Path directory;

    private final SystemDisk disk = new SystemDisk();
    private Path file;
    private byte[] sound;

    @BeforeEach
    void makeStore() throws IOException {
        StoreDirectory.take(disk, directory, KIND, false).close();
        file = directory.resolve(StoreIdentity.FILE_NAME);
        sound = Files.readAllBytes(file);
    }

    @Test
    void soundFileIsRead() throws IOException {
        try (StoreDirectory taken = StoreDirectory.take(disk, directory, KIND, true)) {
            assertThat(taken.identity().kind()).isEqualTo(KIND);
        }
    }

    @Test
    void idBytesAreTheIdFromItsFirstDigitToItsLast() {
        StoreIdentity identity = new StoreIdentity(KIND, UUID.fromString("00010203-0405-0607-0809-0a0b0c0d0e0f"));

        assertThat(identity.idBytes()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }

    @Test
    void everyTruncationIsRefused() throws IOException {
        for (int length = 0; length < sound.length; length++) {
            assertRefused(Arrays.copyOf(sound, length), "length=" + length);
        }
    }

    @Test
    void everyFlippedBitIsRefused() throws IOException {
        for (int bit = 0; bit < sound.length * Byte.SIZE; bit++) {
            byte[] flipped = sound.clone();
            flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertRefused(flipped, "bit=" + bit);
        }
    }

    @Test
    void whatFollowsTheLastLineIsRefused() throws IOException {
        for (byte following : new byte[] {0, ' ', '\n', 'x'}) {
            byte[] longer = Arrays.copyOf(sound, sound.length + 1);
            longer[sound.length] = following;
            assertRefused(longer, "following=" + following);
        }
    }

    @Test
    void largeFileIsRefusedUnread() throws IOException {
        assertRefused(new byte[513], "513 zeros");
        try (DiskFile huge = disk.open(file, OpenMode.READ_WRITE)) {
            huge.write(ByteBuffer.allocate(1), 5_000_000_000L);
        }
        StoreDirectoryException refused = refused();
        assertThat(refused.reason()).isEqualTo(Reason.CORRUPT);
        assertThat(refused).hasMessageContaining("it has 5000000001 bytes, more than the 512 it may have");
    }

    @Test
    void newerVersionIsToldApartFromDamageEvenIfItsFormIsUnknown() throws IOException {
        Files.writeString(file, "tallystick-store 2\nwhatever=the future brings\n");
        StoreDirectoryException refused = refused();

        assertThat(refused.reason()).isEqualTo(Reason.FOREIGN);
        assertThat(refused)
                .hasMessageContaining("has format version 2; this library reads up to 1")
                .hasMessageContaining("use the newer library");
    }

    @Test
    void olderVersionThatNeverWasIsDamage() throws IOException {
        Files.writeString(file, signed("tallystick-store 0\nkind=" + KIND + "\nid=" + UUID.randomUUID() + "\n"));
        StoreDirectoryException refused = refused();

        assertThat(refused.reason()).isEqualTo(Reason.CORRUPT);
        assertThat(refused).hasMessageContaining("unknown format version 0");
    }

    @Test
    void hostileVersionNumberIsDamageAndNoOtherError() throws IOException {
        for (String version : new String[] {"99999999999999999999", "-1", "1.0", "0x1", "", "\u0661"}) {
            Files.writeString(
                    file,
                    signed("tallystick-store " + version + "\nkind=" + KIND + "\nid=" + UUID.randomUUID() + "\n"));
            assertThat(refused().reason()).as("version=%s", version).isEqualTo(Reason.CORRUPT);
        }
    }

    @Test
    void kindThatLeavesItsFormIsDamage() throws IOException {
        for (String kind : new String[] {"", "A", "a_b", "../x", "a b", "x".repeat(65)}) {
            Files.writeString(file, signed("tallystick-store 1\nkind=" + kind + "\nid=" + UUID.randomUUID() + "\n"));
            assertThat(refused().reason()).as("kind=%s", kind).isEqualTo(Reason.CORRUPT);
        }
    }

    @Test
    void goldenFileOfVersion1IsRead() throws IOException {
        byte[] golden;
        try (InputStream resource = StoreIdentityTest.class.getResourceAsStream("/directory-v1/tallystick.store")) {
            golden = resource.readAllBytes();
        }
        Files.write(file, golden);
        try (StoreDirectory taken = StoreDirectory.take(disk, directory, "file-v1", true)) {
            assertThat(taken.identity())
                    .isEqualTo(new StoreIdentity("file-v1", UUID.fromString("0d9f4c0e-2a52-4d39-bb33-5c8d1f8e6f11")));
        }
        assertThat(file).hasBinaryContent(golden);
    }

    private void assertRefused(byte[] content, String what) throws IOException {
        Files.write(file, content);
        StoreDirectoryException refused = refused();

        assertThat(refused).as("refusal of %s", what).isNotNull();
        assertThat(refused.reason()).as(what).isIn(Reason.CORRUPT, Reason.FOREIGN);
        assertThat(refused).as(what).hasMessageContaining("file=" + file.toRealPath());
        assertThat(file).as("untouched").hasBinaryContent(content);
    }

    private StoreDirectoryException refused() {
        return catchThrowableOfType(
                StoreDirectoryException.class, () -> StoreDirectory.take(disk, directory, KIND, true));
    }

    private static String signed(String lines) {
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(StandardCharsets.UTF_8));
        return lines + "crc32c=" + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
    }
}
