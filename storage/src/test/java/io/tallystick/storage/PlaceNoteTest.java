package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.storage.StoreDirectory.Taker;
import io.tallystick.storage.StoreDirectoryException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store knows where it was made, and an opening of a copy is told. docs/place.md has the table. */
class PlaceNoteTest {
    private static final String KIND = "test-v1";
    private static final Optional<String> NODE = Optional.of("orders-0");
    private static final Optional<String> NO_NODE = Optional.empty();
    private static final Logger LOGGER = Logger.getLogger(StoreDirectory.class.getName());

    private final List<String> told = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (!line.getMessage().startsWith("TALLY010") || line.getMessage().matches("(?s)TALLY010[89].*")) {
                told.add(line.getLevel() + " " + line.getMessage()); // not the type of the file system
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @TempDir
    private Path temporary;

    private Path root;
    private Path original;
    private Path copy;

    @BeforeEach
    void listen() throws IOException {
        root = temporary.toRealPath();
        original = root.resolve("original");
        copy = root.resolve("copy");
        LOGGER.addHandler(handler);
        LOGGER.setUseParentHandlers(false);
    }

    @AfterEach
    void listenNoMore() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(true);
    }

    /** A disk in a machine, on which each directory has this number. */
    private static final class Placed extends ForwardingDisk {
        private final String fileSystem;
        private final String machine;
        private final String number;

        Placed(String machine, String number) {
            this("ext4", machine, number);
        }

        Placed(String fileSystem, String machine, String number) {
            super(new SystemDisk());
            this.fileSystem = fileSystem;
            this.machine = machine == null ? "" : machine;
            this.number = number == null ? "" : number;
        }

        @Override
        public DiskPlace placeOf(Path directory) {
            return new DiskPlace("", fileSystem, "", number, machine);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fuse.s3fs", "fuse", "9p", "cifs", "smb3", "vfat", "exfat"})
    void aFileSystemThatNumbersDirectoriesAnewIsNoReasonToRefuse(String fileSystem) throws IOException {
        open(new Placed(fileSystem, "aa", "7"), original, NODE);

        open(new Placed(fileSystem, "bb", "8"), original, NODE);

        assertThat(told).anyMatch(line -> line.contains("TALLY0110"));
    }

    @Test
    void theHighestNumberOfADirectoryIsReadAgain() throws IOException {
        Disk disk = new Placed("aa", DiskPlace.number(-1L));
        open(disk, original, NODE);
        String note = note(original);

        open(disk, original, NODE);

        assertThat(note(original)).isEqualTo(note).contains("directory=18446744073709551615");
    }

    @ParameterizedTest
    @CsvSource({
        // path, machine and number of the note, machine and number now, judgement, what is told, note replaced
        "same,    aa, 7, aa, 7, goes on, ,                    false",
        "same,      , 7,   , 7, goes on, ,                    false",
        "same,    aa, 7,   , 7, goes on, ,                    false",
        "same,    aa, 7, aa, 8, goes on, ,                    true",
        "same,      , 7, bb, 8, goes on, ,                    true",
        "same,    aa, 7,   , 8, goes on, ,                    true",
        "same,    aa,  , aa, 8, goes on, ,                    true",
        "same,    aa, 7, aa,  , goes on, ,                    false",
        "same,    aa, 7, bb, 7, goes on, INFO TALLY0109,      true",
        "another, aa, 7, aa, 7, goes on, INFO TALLY0109,      true",
        "another, aa, 7, bb, 7, goes on, INFO TALLY0109,      true",
        "another,   , 7,   , 7, goes on, INFO TALLY0109,      true",
        "same,    aa, 7, bb, 8, copy,    WARNING TALLY0108,   false",
        "another, aa, 7, aa, 8, copy,    WARNING TALLY0108,   false",
        "another, aa, 7, bb, 8, copy,    WARNING TALLY0108,   false",
        "another,   , 7, bb, 8, copy,    WARNING TALLY0108,   false",
        "same,    aa,  , bb, 8, goes on, WARNING TALLY0110,   true",
        "same,    aa, 7, bb,  , goes on, WARNING TALLY0110,   true",
        "another, aa,  , aa, 8, goes on, WARNING TALLY0110,   true",
        "another, aa, 7, aa,  , goes on, WARNING TALLY0110,   true",
        "another,   ,  ,   ,  , goes on, WARNING TALLY0110,   true",
    })
    void eachRowOfTheTable(
            String path,
            String notedMachine,
            String notedNumber,
            String machine,
            String number,
            String judgement,
            String line,
            boolean isReplaced)
            throws IOException {
        open(new Placed(notedMachine, notedNumber), original, NODE);
        Path now = path.equals("same") ? original : Files.move(original, copy);
        String note = note(now);
        Disk disk = new Placed(machine, number);
        List<String> names = names(now);

        if (judgement.equals("copy")) {
            StoreDirectoryException refused =
                    catchThrowableOfType(StoreDirectoryException.class, () -> open(disk, now, NODE));
            assertThat(refused.reason()).isEqualTo(Reason.COPY);
            assertThat(refused)
                    .hasMessageContaining("was made at path=" + original)
                    .hasMessageContaining("is now at path=" + now)
                    .hasMessageContaining("two processes would judge the same transactions of node=orders-0")
                    .hasMessageContaining("tallystick accept-copy " + now + " --reason TEXT");
            assertThat(names(now)).isEqualTo(names);
            assertThat(told).isEmpty();
            open(disk, now, NO_NODE);
        } else {
            open(disk, now, NODE);
        }

        assertThat(told).hasSize(line == null ? 0 : 1).allMatch(each -> each.startsWith(line));
        assertThat(!note(now).equals(note)).as("replaced").isEqualTo(isReplaced);
        told.clear();
        open(disk, now, NO_NODE);
        assertThat(told).as("the next time").hasSize(judgement.equals("copy") ? 1 : 0);
    }

    /** The inode of the system, and no other process that writes the note. */
    @Test
    void aCopyOfADirectoryIsRefusedToItsNodeAndTheOriginalOpens() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        copyOf(original, copy);

        assertThatThrownBy(() -> open(disk, copy, NODE)).hasMessageContaining("holds a copy of a store");
        open(disk, original, NODE);
        assertThat(told).isEmpty();
    }

    @Test
    void aDirectoryThatIsRenamedIsNoCopy() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        Files.move(original, copy);

        open(disk, copy, NODE);
        assertThat(told).singleElement().asString().contains("TALLY0109", original.toString(), copy.toString());
    }

    /** As an image of a volume that is mounted beside it. */
    @Test
    void aCopyWithTheSameNumberIsToldByTheOriginalAtItsPath() throws IOException {
        open(new Placed("aa", "2"), original, NODE);
        copyOf(original, copy);

        assertThatThrownBy(() -> open(new Placed("aa", "2"), copy, NODE)).hasMessageContaining("holds a copy");
    }

    @Test
    void anotherStoreAtTheNotedPathIsNoOriginal() throws IOException {
        open(new Placed("aa", "2"), original, NODE);
        Files.move(original, copy);
        open(new Placed("aa", "2"), original, NODE);

        open(new Placed("aa", "2"), copy, NODE);
        assertThat(told).singleElement().asString().contains("TALLY0109");
    }

    @Test
    void aRefusalBeforeTheLockLeavesNoFileBehind() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        copyOf(original, copy);
        Files.delete(copy.resolve("tallystick.lock"));
        Files.delete(copy.resolve("tallystick.owner"));
        List<String> names = names(copy);

        assertThatThrownBy(() -> open(disk, copy, NODE)).hasMessageContaining("holds a copy");
        assertThat(names(copy)).isEqualTo(names);
    }

    @Test
    void aStoreOfAnEarlierVersionGetsItsNoteWhenItHasRecovered() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        Files.delete(original.resolve(StoreDirectory.PLACE_FILE));

        try (StoreDirectory taken = StoreDirectory.take(disk, original, KIND, true, NODE)) {
            assertThat(original.resolve(StoreDirectory.PLACE_FILE)).doesNotExist();
            taken.bind();
        }
        assertThat(note(original)).contains("path=" + original + "\n");
        assertThat(told).isEmpty();
    }

    @Test
    void eachFlippedBitAndEachCutOfTheNoteIsToldAndMended() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        Path file = original.resolve(StoreDirectory.PLACE_FILE);
        byte[] sound = Files.readAllBytes(file);
        int version = "tallystick-place ".length();
        for (int i = 0; i < sound.length; i++) {
            if (i == version) {
                continue; // another number is a newer version
            }
            byte[] flipped = sound.clone();
            flipped[i] ^= (byte) (1 << i % 8);
            Files.write(file, flipped);
            assertMended(disk, file);
            Files.write(file, Arrays.copyOf(sound, i));
            assertMended(disk, file);
        }
    }

    private void assertMended(Disk disk, Path file) throws IOException {
        told.clear();
        open(disk, original, NODE);
        assertThat(told).singleElement().asString().contains("WARNING TALLY0111");
        told.clear();
        open(disk, original, NODE);
        assertThat(told).isEmpty();
    }

    @Test
    void theNoteOfAnotherStoreIsReplaced() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        open(disk, copy, NODE);
        Files.delete(copy.resolve(StoreDirectory.PLACE_FILE));
        Files.copy(original.resolve(StoreDirectory.PLACE_FILE), copy.resolve(StoreDirectory.PLACE_FILE));

        open(disk, copy, NODE);
        assertThat(told).singleElement().asString().contains("TALLY0111", "belongs to the store with id");
        assertThat(note(copy)).contains("path=" + copy + "\n");
    }

    @Test
    void theNoteOfANewerVersionStays() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        Files.writeString(original.resolve(StoreDirectory.PLACE_FILE), "tallystick-place 2\nof the future\n");

        open(disk, original, NODE);
        assertThat(told).singleElement().asString().contains("TALLY0111", "format version 2");
        assertThat(note(original)).contains("of the future");
    }

    @Test
    void aNoteThatCannotBeWrittenKeepsNoStoreFromOpening() throws IOException {
        Disk full = new ForwardingDisk(new SystemDisk()) {
            @Override
            public DiskFile open(Path file, OpenMode mode) throws IOException {
                if (mode == OpenMode.CREATE_NEW && file.toString().contains(StoreDirectory.PLACE_FILE)) {
                    throw new IOException("No space left on device");
                }
                return disk.open(file, mode);
            }
        };
        open(full, original, NODE);

        assertThat(told).singleElement().asString().contains("WARNING TALLY0111", "No space left on device");
        assertThat(original.resolve(StoreDirectory.PLACE_FILE)).doesNotExist();
        told.clear();
        open(new SystemDisk(), original, NODE);
        assertThat(told).isEmpty();
        assertThat(original.resolve(StoreDirectory.PLACE_FILE)).exists();
    }

    @Test
    void aPlaceThatTheSystemDoesNotTellKeepsNoStoreFromOpening() throws IOException {
        Disk silent = new ForwardingDisk(new SystemDisk()) {
            @Override
            public DiskPlace placeOf(Path directory) throws IOException {
                throw new IOException("no such mount");
            }
        };
        open(silent, original, NODE);

        assertThat(note(original)).contains("path=" + original + "\nmachine=\ndirectory=\n");
    }

    @Test
    void anAdopterGoesOnWithACopyAndLeavesTheNoteToTheNode() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        copyOf(original, copy);
        String note = note(copy);

        open(disk, copy, new Taker(NODE, true, Duration.ZERO));
        assertThat(told).singleElement().asString().contains("WARNING TALLY0108", "An adopter");
        assertThat(note(copy)).isEqualTo(note);
        assertThatThrownBy(() -> open(disk, copy, NODE)).hasMessageContaining("holds a copy");
    }

    /** On the dead node's volume, at another place; then the node comes back to its own. */
    @Test
    void anAdopterAtAnotherPlaceLeavesTheNoteToTheNode() throws IOException {
        open(new Placed("aa", "7"), original, NODE);
        Files.move(original, copy);
        open(new Placed("bb", "7"), copy, new Taker(NODE, true, Duration.ZERO));
        Files.move(copy, original);
        told.clear();

        open(new Placed("aa", "8"), original, NODE);
        assertThat(told).isEmpty();
    }

    @Test
    void anAcceptedCopyIsAtHomeAndTheNoteSaysWhy() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        copyOf(original, copy);
        StoreIdentity store = StoreIdentity.read(disk, copy).orElseThrow();
        assertThat(StorePlace.remarkOn(disk, copy, store)).hasValueSatisfying(remark -> assertThat(remark)
                .startsWith("a copy: the store was made at path=" + original));

        StorePlace.accept(disk, copy, store, "the old machine burnt: 100 %\nü");

        assertThat(StorePlace.remarkOn(disk, copy, store)).isEmpty();
        open(disk, copy, NODE);
        assertThat(told).isEmpty();
        assertThat(StorePlace.acceptedBecause(disk, copy, store)).contains("the old machine burnt: 100 %?ü");
    }

    @Test
    void theReasonStaysInTheNoteWhenTheDirectoryMoves() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        StoreIdentity store = StoreIdentity.read(disk, original).orElseThrow();
        StorePlace.accept(disk, original, store, "tried");
        Files.move(original, copy);
        open(disk, copy, NODE);

        assertThat(StorePlace.acceptedBecause(disk, copy, store)).contains("tried");
        assertThat(note(copy)).contains("path=" + copy + "\n");
    }

    @Test
    void pathsOfAllLettersAndLengthsAreTold() throws IOException {
        Disk disk = new SystemDisk();
        Path odd = Files.createDirectories(root.resolve("a b%20\nc"));
        for (int i = 0; i < 12; i++) {
            odd = Files.createDirectory(odd.resolve("%".repeat(200)));
        }
        Path store = odd.resolve("store");
        open(disk, store, NODE);
        open(disk, store, NODE);
        assertThat(told).isEmpty();

        Path moved = Files.move(store, odd.resolve("other"));
        open(disk, moved, NODE);
        assertThat(told).singleElement().asString().contains("TALLY0109");
        copyOf(moved, store);
        assertThatThrownBy(() -> open(disk, store, NODE)).hasMessageContaining("holds a copy");
    }

    @Test
    void aStoreThatIsMadeElsewhereGetsThePlaceWhereItWillBe() throws IOException {
        Disk disk = new SystemDisk();
        Files.createDirectory(original);
        open(disk, copy, NO_NODE);
        StorePlace.carryTo(disk, original, copy);
        for (String name : names(copy)) {
            Files.move(copy.resolve(name), original.resolve(name));
        }

        open(disk, original, NODE);
        assertThat(told).isEmpty();
    }

    @Test
    void filesThatAreExchangedInACopyLeaveItACopy() throws IOException {
        Disk disk = new SystemDisk();
        open(disk, original, NODE);
        copyOf(original, copy);
        Path made = root.resolve("made");
        open(disk, made, NODE);
        StorePlace.carryTo(disk, copy, made);
        for (String name : names(made)) {
            Files.move(made.resolve(name), copy.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }

        assertThatThrownBy(() -> open(disk, copy, NODE)).hasMessageContaining("holds a copy");
    }

    private static void open(Disk disk, Path directory, Optional<String> node) throws IOException {
        open(disk, directory, new Taker(node, false, Duration.ZERO));
    }

    private static void open(Disk disk, Path directory, Taker taker) throws IOException {
        try (StoreDirectory taken = StoreDirectory.take(disk, directory, KIND, false, taker)) {
            taken.bind();
        }
    }

    private static String note(Path directory) throws IOException {
        return Files.readString(directory.resolve(StoreDirectory.PLACE_FILE));
    }

    private static void copyOf(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        for (String name : names(from)) {
            Files.copy(from.resolve(name), to.resolve(name));
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
