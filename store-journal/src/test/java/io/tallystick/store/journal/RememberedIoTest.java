package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import io.tallystick.storage.UnansweredWrites;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.inspect.SegmentedInspector;
import io.tallystick.store.journal.io.IoChoice;
import io.tallystick.store.journal.io.RememberedIo;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that remembers its way to the disk opens whatever becomes of that way. */
class RememberedIoTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path FILE = DIRECTORY.resolve("tallystick.io");
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    private final Logger logger = Logger.getLogger(IoChoice.class.getName());
    private final List<String> told = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            told.add(record.getMessage());
        }

        @Override
        public void flush() {
            // nothing is kept back
        }

        @Override
        public void close() {
            // nothing is open
        }
    };

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    @Test
    void aWayThatFailsWhenTheEngineOpensItsFilesIsReplacedAndTriedAnewNextTime() throws IOException {
        makeStore(disk);

        try (ObjectStore store = open(withoutDirect())) {
            assertThat(store.description().io()).contains("channel");
            assertThat(store.read(KEY)).isPresent();
            store.write(KEY, new byte[] {2}, Durability.FORCED);
        }

        assertThat(told)
                .singleElement()
                .asString()
                .contains("TALLY0303 directory=" + DIRECTORY, "direct, fails", "no such way", "uses channel");
        assertThat(simulated.kindOf(FILE)).isEqualTo(Disk.PathKind.MISSING);
        try (ObjectStore store = open(disk)) {
            assertThat(store.description().io()).contains("direct");
            assertThat(store.read(KEY)).contains(new byte[] {2});
        }
        assertThat(RememberedIo.in(DIRECTORY, disk)).map(RememberedIo::name).contains("direct");
    }

    /** It may still land in a file that the second attempt would have given another life. */
    @Test
    void noOtherWayIsTakenWhileAWriteOfTheFirstAttemptIsOut() throws IOException {
        Path directory = Path.of("/unanswered"); // no other test may use it: the process keeps the write for good
        open(directory, disk).close();

        assertThatThrownBy(() -> open(directory, new ForwardingDisk(disk) {
                    @Override
                    public DiskFile open(Path file, OpenMode mode) throws IOException {
                        if (mode == OpenMode.DIRECT_SYNC) {
                            UnansweredWrites.keep(file, this);
                            throw new IOException("a write was given up");
                        }
                        return super.open(file, mode);
                    }
                }))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("a write was given up");
        assertThat(told).isEmpty();
    }

    @Test
    void aFailureThatIsNotTheWaysIsNotBlamedOnIt() throws IOException {
        makeStore(disk);
        disk.inject(DiskFault.in(DiskOperation.OPEN)
                .onFiles(file -> file.getFileName().toString().startsWith("segment-"))
                .forEver()
                .failingWith("Too many open files"));

        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("Too many open files");
        assertThat(told).isEmpty();
        assertThat(simulated.kindOf(FILE)).isEqualTo(Disk.PathKind.FILE);
    }

    @Test
    void aDiskThatFailsAltogetherRefusesTheOpeningWithItsFirstFailure() throws IOException {
        makeStore(disk);
        disk.inject(DiskFault.in(DiskOperation.OPEN)
                .onFiles(file -> file.getFileName().toString().startsWith("segment-"))
                .forEver()
                .failingWith("the first failure"));
        disk.inject(DiskFault.in(DiskOperation.WRITE)
                .onFiles(file -> file.getFileName().toString().startsWith(DiskDevice.PROBE_PREFIX))
                .forEver()
                .failingWith("a later failure"));

        assertThatThrownBy(() -> open(disk))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the first failure");
    }

    @Test
    void theRememberedWayIsNoPartOfTheStore(@TempDir Path root) throws IOException {
        Path directory = root.resolve("tx");
        try (ObjectStore store =
                JournalStores.open(JournalStores.small(directory, "segmented", "auto"), new SystemDisk())) {
            store.write(KEY, new byte[] {1}, Durability.FORCED);
        }

        assertThat(new SegmentedInspector().inspect(directory).files())
                .filteredOn(file -> file.path().endsWith("tallystick.io"))
                .singleElement()
                .satisfies(file -> {
                    assertThat(file.role()).isEqualTo(InspectedFile.Role.HINT);
                    assertThat(file.role().isStores()).isFalse();
                });
    }

    @Test
    void aDirectoryThatWasCopiedIsTriedAgain(@TempDir Path root) throws IOException {
        Path directory = root.resolve("tx");
        JournalStores.open(JournalStores.small(directory, "segmented", "auto")).close();
        Path copy = Files.createDirectory(root.resolve("copy"));
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }

        assertThat(detailsOf(directory)).contains("remembered in tallystick.io");
        assertThat(detailsOf(copy)).startsWith("tried again because directory was '");
        assertThat(detailsOf(copy)).contains("remembered in tallystick.io");
    }

    private static String detailsOf(Path directory) {
        try (ObjectStore store = JournalStores.open(JournalStores.small(directory, "segmented", "auto"))) {
            return store.description().details();
        }
    }

    private static void makeStore(Disk on) {
        try (ObjectStore store = open(on)) {
            assertThat(store.description().io()).contains("direct");
            store.write(KEY, new byte[] {1}, Durability.FORCED);
        }
    }

    private static ObjectStore open(Disk on) {
        return open(DIRECTORY, on);
    }

    private static ObjectStore open(Path directory, Disk on) {
        return JournalStores.open(
                JournalStores.small(directory, "segmented", "auto")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                on);
    }

    private Disk withoutDirect() {
        return new ForwardingDisk(disk) {
            @Override
            public DiskFile open(Path file, OpenMode mode) throws IOException {
                if (mode == OpenMode.DIRECT_SYNC) {
                    throw new IOException("no such way");
                }
                return super.open(file, mode);
            }
        };
    }
}
