package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments have ASCII names that end with .seg, whatever named them in earlier lives. */
class SegmentNamesTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long KEEP_ALL = 1;
    private static final int STATE_BYTES = 4_000;

    private final Locale ownFormats = Locale.getDefault(Locale.Category.FORMAT);
    private final SimulatedDisk disk = new SimulatedDisk();
    private final List<StateKey> written = new ArrayList<>();

    @AfterEach
    void givesTheLocaleBack() {
        Locale.setDefault(Locale.Category.FORMAT, ownFormats);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fa-IR", "ar-EG", "ne-NP", "mr-IN", "tr-TR"})
    void aStoreThatWasMadeInALocaleOpensAgain(String locale) throws IOException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag(locale));
        write(disk, 10);

        assertKeepsAll(disk);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fa-IR", "ar-EG", "ne-NP", "mr-IN", "tr-TR"})
    void whatAStoreAcknowledgesInALocaleSurvivesItsGrowth(String locale) throws IOException {
        write(disk, 10);
        int before = segments(disk).size();
        Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag(locale));
        ObjectStore grown = write(200, open(disk));
        assertThat(segments(disk).size()).isGreaterThan(before);
        SimulatedDisk dead = disk.crash(KEEP_ALL);

        assertKeepsAll(dead);
        assertThatThrownBy(grown::close).isInstanceOf(StoreException.class);
    }

    @Test
    void namesWithDigitsOfALocaleBecomeAscii() throws IOException {
        assertFoundAfterRenaming(number -> "segment-" + persian(number) + ".log");
    }

    @Test
    void namesThatTheSystemCannotShowBecomeAscii() throws IOException {
        assertFoundAfterRenaming(number -> "segment-" + "\uFFFD".repeat(11 + number) + ".log");
    }

    @Test
    void namesOfEarlierReleasesGetTheirPresentEnding() throws IOException {
        assertFoundAfterRenaming(number -> "segment-00000" + number + ".log");
    }

    /** As where growth in such a locale began with the lowest number that it could not see. */
    @Test
    void twoFilesOfOneNumberAreToldApartByTheirHeaders() throws IOException {
        assertFoundAfterRenaming(number -> number > 3 ? "segment-" + persian(number - 3) + ".log" : null);
    }

    @Test
    void anOpeningThatIsCutOffWhileItRenamesLosesNothing() throws IOException {
        write(disk, 60);
        rename(number -> number % 2 == 0 ? "segment-" + persian(number) + ".log" : "segment-00000" + number + ".log");
        disk.crash(KEEP_ALL);
        boolean isDead = true;
        for (int operation = 1; isDead; operation++) {
            SimulatedDisk dying = disk.crash(KEEP_ALL);
            dying.crashAt(dying.operations() + operation);
            try {
                open(dying).close();
            } catch (StoreException died) {
                assertThat(dying.crashedDuring()).as(died.getMessage()).isPresent();
            }
            isDead = dying.crashedDuring().isPresent();
            assertKeepsAll(dying.crash(operation));
        }
    }

    @Test
    void aRefusedOpeningRenamesNothing() throws IOException {
        write(disk, 60);
        rename(number -> "segment-" + persian(number) + ".log");
        List<Path> before = segments(disk);
        byte[] bytes = disk.contents(before.get(0));
        bytes[SegmentFormat.SALT_OFFSET]++;
        disk.replaceContents(before.get(0), bytes);

        assertThatThrownBy(() -> open(disk)).isInstanceOf(CorruptStoreException.class);
        assertThat(segments(disk)).isEqualTo(before);
    }

    @Test
    void aFileThatAHandHasPutWhereTheNextSegmentWouldBeStays() throws IOException {
        write(disk, 10);
        int segments = segments(disk).size();
        Path next = DIRECTORY.resolve(SegmentFormat.fileName(segments + 1));
        try (ObjectStore store = open(disk)) {
            try (DiskFile file = disk.open(next, OpenMode.CREATE_NEW)) {
                file.writeFully(ByteBuffer.wrap(new byte[] {42}), 0);
            }
            write(200, store);
        }

        assertThat(segments(disk).size()).isGreaterThan(segments + 1);
        assertThat(disk.contents(next)).containsExactly(42);
    }

    private void assertFoundAfterRenaming(IntFunction<String> nameOrNull) throws IOException {
        write(disk, 60);
        int segments = segments(disk).size();
        rename(nameOrNull);

        assertKeepsAll(disk);
        assertThat(segments(disk))
                .hasSizeGreaterThanOrEqualTo(segments)
                .allMatch(file -> file.getFileName().toString().matches("segment-[0-9]{6}\\.seg"));
        assertKeepsAll(disk);
    }

    /** Renames as a release did that named files otherwise; a name that is null stays. */
    private void rename(IntFunction<String> nameOrNull) throws IOException {
        assumeTrue(
                Charset.forName(System.getProperty("sun.jnu.encoding"))
                        .newEncoder()
                        .canEncode('\u06f1'),
                "skipped: the system's encoding of file names has no such digits");
        for (Path file : segments(disk)) {
            String name = nameOrNull.apply(SegmentFormat.fileNumber(file));
            if (name != null) {
                disk.renameToNew(file, file.resolveSibling(name));
            }
        }
        disk.forceDirectory(DIRECTORY);
    }

    private static String persian(int number) {
        return String.format(Locale.forLanguageTag("fa-IR"), "%06d", number);
    }

    private void assertKeepsAll(SimulatedDisk found) throws IOException {
        try (ObjectStore store = open(found)) {
            assertThat(store.keys("/T")).containsExactlyInAnyOrderElementsOf(written);
            for (StateKey key : written) {
                assertThat(store.read(key)).contains(new byte[STATE_BYTES]);
            }
        }
    }

    private void write(SimulatedDisk on, int states) {
        write(states, open(on)).close();
    }

    private ObjectStore write(int states, ObjectStore store) {
        for (int i = 0; i < states; i++) {
            StateKey key = StateKey.of(
                    "/T",
                    ObjectId.of(ByteBuffer.allocate(Integer.BYTES)
                            .putInt(written.size())
                            .array()));
            store.write(key, new byte[STATE_BYTES], Durability.FORCED);
            written.add(key);
        }
        return store;
    }

    private static List<Path> segments(SimulatedDisk on) throws IOException {
        return SegmentFiles.in(on, DIRECTORY);
    }

    private static ObjectStore open(SimulatedDisk on) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", "channel")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                on);
    }
}
