package io.tallystick.tool.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.narayana.logs.FileTreeSource;
import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.SourceFile;
import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.file.FileStore;
import io.tallystick.store.file.FileStoreInspector;
import io.tallystick.store.file.FileStoreOptions;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A migration that dies in each of its operations on the disk, by a killed process and by a power cut that loses what
 * was not forced: at no time is there a store that holds only a part, the source is as it was, and the next run ends
 * as if nothing had happened.
 */
class MigrationCrashTest {
    private static final Path SOURCE = Path.of("/old/ShadowNoFileLockStore/defaultStore");
    private static final Path TARGET = Path.of("/new/tx");
    private static final String ACTION = "StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final Map<String, String> FILES = Map.of(
            ACTION + "/0_ffff7f000001_8c2b_6560f5a3_2",
            "in doubt",
            ACTION + "/0_ffff7f000001_8c2b_6560f5a3_9#",
            "hidden",
            "Shop/Order/0_-1_1_2_3",
            "committed",
            "Shop/Order/0_-1_1_2_3!",
            "shadow",
            "Shop/Order/0_-1_1_2_4!#",
            "hidden shadow");
    private static final int STATES = 4;
    // What a store has to say when its disk dies. A logger without a reference is collected.
    private static final Logger STORE = Logger.getLogger(FileStore.class.getName());

    @BeforeAll
    static void silence() {
        STORE.setLevel(Level.OFF);
    }

    @AfterAll
    static void hear() {
        STORE.setLevel(null);
    }

    @Test
    void aMigrationThatDiesAnywhereIsEndedByTheNextRun() throws IOException {
        long deaths = 0;
        for (long operation = 1; ; operation++) {
            boolean hasDied = false;
            // A killed process, all lost, and a part that is another one each time.
            for (long seed : new long[] {-1, 0, 4 + operation}) {
                SimulatedDisk disk = diskWithSource();
                disk.crashAt(disk.operations() + operation);
                hasDied = diesOn(disk);
                if (!hasDied) {
                    break;
                }
                deaths++;
                String when = "operation=" + operation + " seed=" + seed + " "
                        + disk.crashedDuring().orElseThrow();
                assertThatTheNextRunEndsIt(seed < 0 ? disk.kill() : disk.crash(seed), when);
            }
            if (!hasDied) {
                break;
            }
        }
        assertThat(deaths).isGreaterThan(200);
    }

    /** Also the run after a crash may crash. */
    @Test
    void aSecondDeathIsNoWorseThanTheFirst() throws IOException {
        for (long operation = 5; ; operation += 7) {
            SimulatedDisk disk = diskWithSource();
            disk.crashAt(disk.operations() + operation);
            if (!diesOn(disk)) {
                return;
            }
            for (long second = 1; ; second += 11) {
                SimulatedDisk found = disk.crash(operation);
                found.crashAt(found.operations() + second);
                if (!diesOn(found)) {
                    break;
                }
                assertThatTheNextRunEndsIt(found.crash(second), "operation=" + operation + " then operation=" + second);
            }
        }
    }

    @Test
    void whatAPartlyMovedStoreNeedsIsDeletedAndWhatIsForeignIsNot() throws IOException {
        SimulatedDisk disk = diskWithSource();
        disk.createDirectory(TARGET.getParent());
        disk.createDirectory(TARGET);
        disk.createDirectory(TARGET.resolve(Staging.NAME));
        write(disk, TARGET.resolve("foreign-file"), "data");
        assertThatThrownBy(() -> migrate(disk))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("foreign-file");
        assertThat(new String(SourceFile.read(disk, TARGET.resolve("foreign-file")), StandardCharsets.UTF_8))
                .isEqualTo("data");
    }

    private static void assertThatTheNextRunEndsIt(SimulatedDisk disk, String when) throws IOException {
        assertThatNoPartIsAStore(disk, when);
        Migration.Result result;
        try {
            result = migrate(disk);
        } catch (ToolException refused) {
            throw new AssertionError(when, refused);
        }
        assertThat(result.outcome()).as(when).isNotEqualTo(Migration.Outcome.ONLY_READ);
        assertThat(contentOf(disk, TARGET)).as(when).isEqualTo(expected(disk));
        assertThat(disk.list(TARGET)).as(when).doesNotContain(TARGET.resolve(Staging.NAME));
        // A transaction manager opens it, and so does the next one.
        try (FileStore store = FileStore.open(FileStoreOptions.in(TARGET), disk, NanoClock.SYSTEM)) {
            assertThat(store.keys("/" + ACTION)).as(when).hasSize(2);
        }
        assertThat(migrate(disk).outcome()).as(when).isEqualTo(Migration.Outcome.ALREADY_THERE);
    }

    /** Either the target is whole, or a store cannot be opened there, or it has never been begun. */
    private static void assertThatNoPartIsAStore(SimulatedDisk disk, String when) throws IOException {
        boolean isBegun = disk.kindOf(TARGET.resolve(Staging.NAME)) == Disk.PathKind.DIRECTORY;
        if (disk.kindOf(TARGET.resolve("tallystick.store")) == Disk.PathKind.FILE) {
            assertThat(contentOf(disk, TARGET)).as(when).isEqualTo(expected(disk));
        } else if (isBegun) {
            assertThatThrownBy(() -> FileStore.open(FileStoreOptions.in(TARGET), disk, NanoClock.SYSTEM))
                    .as(when)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("holds no store");
        } else if (disk.kindOf(TARGET) == Disk.PathKind.DIRECTORY) {
            assertThat(disk.list(TARGET))
                    .as(when)
                    .allMatch(path -> path.getFileName().toString().equals("tallystick.lock"));
        }
    }

    private static boolean diesOn(SimulatedDisk disk) {
        try {
            migrate(disk);
        } catch (IOException | StoreException | ToolException died) {
            assertThat(disk.crashedDuring()).as(died.toString()).isPresent();
        }
        return disk.crashedDuring().isPresent();
    }

    private static Migration.Result migrate(Disk disk) throws IOException {
        try (Staging staging = Staging.at(disk, TARGET)) {
            return new Migration(
                            new FileTreeSource(disk, SOURCE),
                            new StagedDirectory(staging, new FilesOn(disk)),
                            (step, states) -> {})
                    .run(new Findings(), false);
        }
    }

    private static SimulatedDisk diskWithSource() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        for (Map.Entry<String, String> file : FILES.entrySet()) {
            write(disk, SOURCE.resolve(file.getKey()), file.getValue());
        }
        return disk;
    }

    private static void write(Disk disk, Path file, String content) throws IOException {
        createWithParents(disk, file.getParent());
        WholeFile.create(disk, file, content.getBytes(StandardCharsets.UTF_8));
    }

    private static void createWithParents(Disk disk, Path directory) throws IOException {
        if (disk.kindOf(directory) == Disk.PathKind.MISSING) {
            createWithParents(disk, directory.getParent());
            disk.createDirectory(directory);
            disk.forceDirectory(directory.getParent());
        }
    }

    private static Map<StateKey, String> expected(Disk disk) throws IOException {
        Map<StateKey, String> expected = new HashMap<>();
        new FileTreeSource(disk, SOURCE).read(state -> expected.put(state.key(), text(state.image())), new Findings());
        assertThat(expected).hasSize(STATES);
        return expected;
    }

    private static Map<StateKey, String> contentOf(Disk disk, Path directory) {
        Map<StateKey, String> content = new HashMap<>();
        new FilesOn(disk).read(directory).forEach((key, image) -> content.put(key, text(image.get())));
        return content;
    }

    private static String text(StateImage image) {
        return image.status() + " " + text(image.committed()) + " " + text(image.shadow());
    }

    private static String text(byte[] value) {
        return value == null ? "-" : new String(value, StandardCharsets.UTF_8);
    }

    /** File stores on a disk that is not the system's. */
    private record FilesOn(Disk disk) implements TargetStore {
        @Override
        public String description() {
            return "file";
        }

        @Override
        public ObjectStore create(Path directory) {
            return FileStore.open(FileStoreOptions.in(directory), disk, NanoClock.SYSTEM);
        }

        @Override
        public Map<StateKey, Supplier<StateImage>> read(Path directory) {
            StoreInspection inspection = new FileStoreInspector(disk).inspect(directory);
            assertThat(inspection.damages()).isEmpty();
            Map<StateKey, Supplier<StateImage>> states = new HashMap<>();
            for (InspectedRecord record : inspection.records()) {
                states.put(record.key(), record::image);
            }
            return states;
        }
    }
}
