package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.artemis.ArtemisInspector;
import io.tallystick.store.journal.inspect.SegmentedInspector;
import io.tallystick.store.journal.io.IgnoredBatch;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A last batch that is not whole and that no mark covers is ignored, and both an opening and an inspection say so. */
class IgnoredTailTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final byte[] FIRST = "a decision".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LAST = "the last decision of this process".getBytes(StandardCharsets.US_ASCII);

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(IgnoredBatch.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            told.add(record.getLevel() + " " + record.getMessage());
        }

        @Override
        public void flush() {
            // nothing is kept
        }

        @Override
        public void close() {
            // nothing is kept
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setLevel(Level.ALL);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void listenNoMore() {
        logger.removeHandler(handler);
        logger.setLevel(null);
        logger.setUseParentHandlers(true);
    }

    @ParameterizedTest
    @CsvSource({"segmented, direct", "segmented, channel", "artemis, direct", "artemis, channel"})
    void anOpeningTellsOnceThatItIgnoresTheLastBatch(String engine, String io) throws IOException {
        SimulatedDisk killed = killedAfterOneWrite(engine, io);
        Path damaged = damage(killed);
        long offset = ignoredIn(inspect(engine, killed)).get(0).ignoredAt().orElseThrow();

        try (ObjectStore store = open(engine, io, killed)) {
            assertThat(store.read(key(1))).contains(FIRST);
            assertThat(store.read(key(2))).isEmpty();
            store.write(key(3), FIRST, Durability.FORCED);
        }
        open(engine, io, killed).close();

        assertThat(told)
                .singleElement()
                .asString()
                .startsWith("INFO TALLY0310 file=" + damaged + " offset=" + offset + ":");
    }

    @ParameterizedTest
    @CsvSource({"segmented, direct", "segmented, channel", "artemis, direct", "artemis, channel"})
    void anOpeningTellsThatItIgnoresTheOnlyBatch(String engine, String io) throws IOException {
        SimulatedDisk simulated = new SimulatedDisk();
        ObjectStore dying = open(engine, io, simulated);
        dying.write(key(2), LAST, Durability.FORCED);
        SimulatedDisk killed = simulated.kill();
        Path damaged = damage(killed);

        try (ObjectStore store = open(engine, io, killed)) {
            assertThat(store.keys("/T")).isEmpty();
        }

        assertThat(told).singleElement().asString().startsWith("INFO TALLY0310 file=" + damaged + " ");
    }

    @ParameterizedTest
    @CsvSource({"segmented, direct", "segmented, channel", "artemis, direct", "artemis, channel"})
    void anInspectionNamesTheLastBatchThatIsIgnored(String engine, String io) throws IOException {
        SimulatedDisk killed = killedAfterOneWrite(engine, io);
        assertThat(ignoredIn(inspect(engine, killed))).isEmpty();
        Path damaged = damage(killed);

        StoreInspection found = inspect(engine, killed);

        assertThat(found.isHealthy()).isTrue();
        assertThat(found.records()).hasSize(1);
        assertThat(ignoredIn(found)).singleElement().satisfies(file -> {
            assertThat(file.path()).isEqualTo(damaged);
            assertThat(file.ignoredAt().orElseThrow()).isPositive().isLessThan(stateIn(killed.contents(damaged)));
        });
    }

    @ParameterizedTest
    @CsvSource({"segmented, direct", "segmented, channel", "artemis, direct", "artemis, channel"})
    void aWholeLastBatchIsNotTold(String engine, String io) throws IOException {
        SimulatedDisk killed = killedAfterOneWrite(engine, io);

        try (ObjectStore store = open(engine, io, killed)) {
            assertThat(store.read(key(2))).contains(LAST);
        }

        assertThat(told).isEmpty();
    }

    /** What a kill leaves, at a moment when the batch of the last write is there and nothing behind it. */
    private static SimulatedDisk killedAfterOneWrite(String engine, String io) {
        while (true) {
            SimulatedDisk simulated = new SimulatedDisk();
            FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
            ObjectStore dying = open(engine, io, disk);
            dying.write(key(1), FIRST, Durability.FORCED);
            disk.clearLog();
            dying.write(key(2), LAST, Durability.FORCED);
            SimulatedDisk killed = simulated.kill();
            long writes = disk.log().stream()
                    .filter(event -> event.operation() == DiskOperation.WRITE)
                    .count();
            if (writes == 1) {
                return killed;
            }
        }
    }

    private static Path damage(SimulatedDisk killed) throws IOException {
        for (Path file : killed.list(DIRECTORY)) {
            byte[] bytes = killed.contents(file);
            int at = stateIn(bytes);
            if (at >= 0) {
                bytes[at + LAST.length - 1] ^= 1;
                killed.replaceContents(file, bytes);
                return file;
            }
        }
        throw new AssertionError("the state is in no file");
    }

    /** Where the last state is in a file, without the byte that is damaged; -1 for nowhere. */
    private static int stateIn(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1)
                .indexOf(new String(LAST, 0, LAST.length - 1, StandardCharsets.US_ASCII));
    }

    private static StoreInspection inspect(String engine, Disk on) {
        return (engine.equals("artemis") ? new ArtemisInspector(on) : new SegmentedInspector(on)).inspect(DIRECTORY);
    }

    private static List<InspectedFile> ignoredIn(StoreInspection inspection) {
        return inspection.files().stream()
                .filter(file -> file.ignoredAt().isPresent())
                .toList();
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }

    private static ObjectStore open(String engine, String io, Disk on) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, engine, io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, StoreOption.MIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                on);
    }
}
