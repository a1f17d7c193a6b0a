package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FullDiskTest in store-file meets the real texts of another language. */
class ShortageTest {
    private static final String NO_SPACE = "No space left on device";
    private static final String QUOTA = "Disk quota exceeded";
    private static final String GERMAN_NO_SPACE = "Auf dem Gerät ist kein Speicherplatz mehr verfügbar";
    private static final String GERMAN_QUOTA = "Der zugewiesene Plattenplatz (Quota) ist überschritten";

    private final Disk disk = new SystemDisk();

    @ParameterizedTest
    @ValueSource(
            strings = {
                NO_SPACE,
                QUOTA,
                "Quota exceeded",
                "Disc quota exceeded",
                "/some/file: No space left on device",
                "There is not enough space on the disk"
            })
    void aLackOfRoomAndAUsedUpQuotaAreShortages(String text) {
        assertThat(Shortage.isShortageOfRoom(new IOException(text))).isTrue();
        assertThat(Shortage.isShortageOfRoom(new FileSystemException("/a/file", null, text)))
                .isTrue();
        assertThat(Shortage.isShortageOfRoom(
                        new IOException("file=/a/file offset=0: it failed", new IOException(text))))
                .isTrue();
    }

    @Test
    void anotherFailureIsNoShortageWhateverThePathIsCalled() {
        assertThat(Shortage.isShortageOfRoom(new IOException("Input/output error")))
                .isFalse();
        assertThat(Shortage.isShortageOfRoom(new IOException())).isFalse();
        assertThat(Shortage.isShortageOfRoom(
                        new FileSystemException("/disk quota exceeded/file", null, "Permission denied")))
                .isFalse();
        assertThat(Shortage.isShortageOfRoom(new FileSystemException("/no space left on device")))
                .isFalse();
        assertThat(Shortage.isShortageOfRoom(new IOException(
                        "file=/no space left on device/log: Input/output error",
                        new IOException("Input/output error"))))
                .isFalse();
    }

    @Test
    void aNumberTellsMoreThanAText() {
        assertThat(Shortage.isShortageOfRoom(new SystemErrorException("besetzt", 28)))
                .isTrue();
        assertThat(Shortage.isShortageOfRoom(new IOException("file=f", new SystemErrorException("", 122))))
                .isTrue();
        assertThat(Shortage.isShortageOfRoom(new SystemErrorException(NO_SPACE, 5)))
                .isFalse();
    }

    @Test
    void theCatalogueThatHasTheTextOfThisProcessHasTheOtherTextToo(@TempDir Path root) throws IOException {
        catalogue(root, "de", GERMAN_NO_SPACE, GERMAN_QUOTA);
        catalogue(root, "xx", "plein", "quota");

        List<String> learnt = Shortage.learn(disk, Optional.of(GERMAN_NO_SPACE), List.of(root));

        assertThat(learnt).contains(GERMAN_NO_SPACE, GERMAN_QUOTA).doesNotContain("plein", "quota");
        assertThat(Shortage.isShortage("/a/file: " + GERMAN_QUOTA, learnt)).isTrue();
        assertThat(Shortage.isShortage("Eingabe-/Ausgabefehler", learnt)).isFalse();
    }

    @Test
    void whereNothingShowsTheLanguageAllCataloguesCount(@TempDir Path root) throws IOException {
        catalogue(root, "de", GERMAN_NO_SPACE, GERMAN_QUOTA);
        catalogue(root, "xx", "plein", "quota");

        assertThat(Shortage.learn(disk, Optional.empty(), List.of(root, root.resolve("missing"))))
                .contains(GERMAN_NO_SPACE, GERMAN_QUOTA, "plein", "quota");
        assertThat(Shortage.learn(disk, Optional.of("plat"), List.of(root))).contains("plat", GERMAN_QUOTA);
    }

    @Test
    void nothingIsReadWhereTheTextsAreEnglish(@TempDir Path root) throws IOException {
        catalogue(root, "de", GERMAN_NO_SPACE, GERMAN_QUOTA);

        assertThat(Shortage.learn(disk, Optional.of(NO_SPACE), List.of(root))).isEmpty();
    }

    @Test
    void aDamagedCatalogueIsNoCatalogue(@TempDir Path root) throws IOException {
        Path file = catalogue(root, "de", GERMAN_NO_SPACE, GERMAN_QUOTA);
        byte[] sound = Files.readAllBytes(file);
        Random random = new Random(11);
        for (int round = 0; round < 5_000; round++) {
            byte[] damaged = Arrays.copyOf(sound, random.nextInt(sound.length + 1));
            for (int flips = random.nextInt(8); flips > 0 && damaged.length > 0; flips--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            MessageCatalogue.of(damaged).flatMap(catalogue -> catalogue.translationOf(QUOTA));
        }
        Files.write(file, new byte[] {1, 2, 3});

        assertThat(Shortage.learn(disk, Optional.empty(), List.of(root))).isEmpty();
    }

    /** Writes the C library's catalogue of a language, as msgfmt does. */
    private static Path catalogue(Path root, String language, String noSpace, String quota) throws IOException {
        List<String> texts = List.of("", QUOTA, NO_SPACE);
        List<String> translations = List.of("Content-Type: text/plain; charset=UTF-8\n", quota, noSpace);
        int count = texts.size();
        List<byte[]> strings = new ArrayList<>();
        texts.forEach(text -> strings.add(text.getBytes(StandardCharsets.UTF_8)));
        translations.forEach(text -> strings.add(text.getBytes(StandardCharsets.UTF_8)));
        ByteBuffer head = ByteBuffer.allocate(28 + 2 * count * 8).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(0x950412de).putInt(0).putInt(count).putInt(28).putInt(28 + count * 8);
        head.putInt(0).putInt(0);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] string : strings) {
            head.putInt(string.length).putInt(head.capacity() + content.size());
            content.writeBytes(string);
            content.write(0);
        }
        Path file = Files.createDirectories(root.resolve(language).resolve("LC_MESSAGES"))
                .resolve("libc.mo");
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(head.array());
        whole.writeBytes(content.toByteArray());
        return Files.write(file, whole.toByteArray());
    }
}
