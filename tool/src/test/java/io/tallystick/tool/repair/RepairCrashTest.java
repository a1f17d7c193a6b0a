package io.tallystick.tool.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.StorePlace;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.tool.SimulatedStores;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Power is cut at every operation of a repair. What is there then is the damaged store, or something that no opener
 * takes; and the next repair ends with every record that was whole, and with every byte of the damaged files in
 * quarantine.
 */
class RepairCrashTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final StateKey LATER = StateKey.of("/Later", ObjectId.parse("01"));
    private static final Logger LIBRARIES = Logger.getLogger("io.tallystick");
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    @BeforeEach
    void expectFailures() {
        LIBRARIES.setLevel(Level.OFF);
    }

    @AfterEach
    void expectNoMore() {
        LIBRARIES.setLevel(null);
    }

    @ParameterizedTest
    @EnumSource(
            value = TestStores.Kind.class,
            names = {"FILE", "SEGMENTED"})
    void repairThatIsCutOffAnywhereIsFinishedByTheNext(TestStores.Kind kind) throws IOException {
        SimulatedDisk original = damaged(kind);
        Map<String, String> damagedFiles = contents(original, DIRECTORY);
        Map<StateKey, String> whole = records(inspect(original));
        assertThat(whole).hasSize(TestStores.keys().size() - 1);
        SimulatedDisk complete = original.crash(0);
        repair(complete, NOW);
        long operations = complete.operations();

        int openedBefore = 0;
        int refusedBetween = 0;
        for (long operation = 1; operation <= operations; operation++) {
            SimulatedDisk disk = original.crash(0);
            disk.crashAt(operation);
            try {
                repair(disk, NOW);
            } catch (StoreException | ToolException | IOException cutOff) {
                // as planned
            }
            SimulatedDisk after = disk.crash(operation);
            switch (open(disk.crash(operation), kind)) {
                case DAMAGED -> openedBefore++;
                case REFUSED -> refusedBetween++;
                case OPEN -> {
                    // the repair had come to its end
                }
            }
            repair(after, NOW.plusSeconds(operation));

            StoreInspection repaired = inspect(after);
            assertThat(repaired.damages()).as("operation=" + operation).isEmpty();
            assertThat(records(repaired)).as("operation=" + operation).isEqualTo(whole);
            assertThat(StorePlace.remarkOn(
                            after,
                            DIRECTORY,
                            StoreIdentity.read(after, DIRECTORY).orElseThrow()))
                    .as("operation=" + operation)
                    .isEmpty();
            assertThat(open(after, kind)).as("operation=" + operation).isEqualTo(Opening.OPEN);
            List<StoreSwap.QuarantinedFiles> aside = new StoreSwap(after, DIRECTORY).aside();
            assertThat(aside).as("operation=" + operation).hasSize(1);
            assertThat(contents(
                            after,
                            new StoreSwap(after, DIRECTORY).filesOf(aside.get(0).name())))
                    .as("operation=" + operation)
                    .isEqualTo(damagedFiles);
        }
        assertThat(openedBefore).isPositive();
        assertThat(refusedBetween).isPositive();
    }

    /** An application that opened the store meanwhile and wrote to it finds its records again. */
    @ParameterizedTest
    @EnumSource(
            value = TestStores.Kind.class,
            names = {"FILE", "SEGMENTED"})
    void compactionThatIsCutOffLosesNothingThatWasWrittenSince(TestStores.Kind kind) throws IOException {
        SimulatedDisk original = filled(kind);
        int records = inspect(original).records().size();
        SimulatedDisk complete = original.crash(0);
        compact(complete, NOW);
        long operations = complete.operations();

        int written = 0;
        for (long operation = 1; operation <= operations; operation++) {
            SimulatedDisk disk = original.crash(0);
            disk.crashAt(operation);
            try {
                compact(disk, NOW);
            } catch (StoreException | ToolException | IOException cutOff) {
                // as planned
            }
            SimulatedDisk after = disk.crash(operation);
            boolean isOpened = write(after, kind);
            written += isOpened ? 1 : 0;
            compact(after, NOW.plusSeconds(operation));

            StoreInspection compacted = inspect(after);
            assertThat(compacted.damages()).as("operation=" + operation).isEmpty();
            assertThat(compacted.records()).as("operation=" + operation).hasSize(records + (isOpened ? 1 : 0));
            assertThat(new StoreSwap(after, DIRECTORY).aside())
                    .as("operation=" + operation)
                    .isEmpty();
        }
        assertThat(written).isBetween(1, (int) operations - 1);
    }

    /** The present store has no file below its directories, and the one that comes back has. */
    @Test
    void aReturnOfRecordsToAStoreWithoutAnyIsFinishedByTheNext() throws IOException {
        SimulatedDisk original = new SimulatedDisk();
        try (ObjectStore store = new SimulatedStores(original).open(configuration(TestStores.Kind.FILE))) {
            store.write(LATER, TestStores.bytes("second"), Durability.FORCED);
        }
        damage(original);
        Map<String, String> damagedFiles = contents(original, DIRECTORY);
        repair(original, NOW);
        assertThat(inspect(original).records()).isEmpty();
        SimulatedDisk complete = original.crash(0);
        putBack(complete, NOW.plusSeconds(1));
        long operations = complete.operations();

        int finished = 0;
        for (long operation = 1; operation <= operations; operation++) {
            SimulatedDisk disk = original.crash(0);
            disk.crashAt(operation);
            try {
                putBack(disk, NOW.plusSeconds(1));
            } catch (StoreException | ToolException | IOException cutOff) {
                // as planned
            }
            SimulatedDisk after = disk.crash(operation);
            try (Repair repair = Repair.of(new SimulatedStores(after), DIRECTORY, false, silent())) {
                repair.finishEarlier();
            }

            boolean isBack = !inspect(after).isHealthy();
            finished += isBack ? 1 : 0;
            if (isBack) {
                Map<String, String> there = contents(after, DIRECTORY);
                there.keySet().removeIf(name -> name.startsWith("tallystick.quarantine"));
                assertThat(there).as("operation=" + operation).isEqualTo(damagedFiles);
            } else {
                assertThat(inspect(after).records())
                        .as("operation=" + operation)
                        .isEmpty();
            }
        }
        assertThat(finished).isBetween(1, (int) operations - 1);
    }

    private static void putBack(Disk disk, Instant now) throws IOException {
        try (Repair repair = Repair.of(new SimulatedStores(disk), DIRECTORY, false, silent())) {
            repair.finishEarlier();
            String name = repair.swap().aside().get(0).name();
            Path files = repair.swap().filesOf(name);
            repair.replace(Optional.of(repair.inspection()), now, made -> {
                for (Path file : DirectoryTrees.files(disk, files)) {
                    Path to = made.resolve(files.relativize(file));
                    DirectoryTrees.make(disk, to.getParent());
                    DirectoryTrees.copy(disk, file, to);
                }
            });
        }
    }

    private static boolean write(Disk disk, TestStores.Kind kind) {
        try (ObjectStore store = new SimulatedStores(disk).open(configuration(kind))) {
            store.write(LATER, TestStores.bytes("later"), Durability.FORCED);
            return true;
        } catch (StoreException refused) {
            return false;
        }
    }

    private static void compact(Disk disk, Instant now) throws IOException {
        try (Repair repair = Repair.of(new SimulatedStores(disk), DIRECTORY, false, silent())) {
            repair.finishEarlier();
            repair.rebuild(repair.inspection(), StoreSwap.Purpose.COMPACT, now, Map.of());
            repair.finishEarlier();
        }
    }

    private enum Opening {
        DAMAGED,
        REFUSED,
        OPEN
    }

    private static Opening open(Disk disk, TestStores.Kind kind) {
        try (ObjectStore store = new SimulatedStores(disk).open(configuration(kind))) {
            assertThat(store.types()).isNotEmpty();
            return Opening.OPEN;
        } catch (CorruptStoreException damaged) {
            return Opening.DAMAGED;
        } catch (StoreException refused) {
            return Opening.REFUSED;
        }
    }

    private static void repair(Disk disk, Instant now) throws IOException {
        StoreAccess access = new SimulatedStores(disk);
        try (Repair repair = Repair.of(access, DIRECTORY, false, silent())) {
            repair.finishEarlier();
            StoreInspection inspection = repair.inspection();
            if (!inspection.isHealthy()) {
                repair.rebuild(inspection, StoreSwap.Purpose.REPAIR, now, Map.of());
            }
        }
    }

    private static Progress silent() {
        return new Progress("repairing", new PrintWriter(new StringWriter()), false, System::nanoTime);
    }

    private static SimulatedDisk filled(TestStores.Kind kind) {
        SimulatedDisk disk = new SimulatedDisk();
        try (ObjectStore store = new SimulatedStores(disk).open(configuration(kind))) {
            TestStores.fill(store);
        }
        return disk;
    }

    private static SimulatedDisk damaged(TestStores.Kind kind) throws IOException {
        return damage(filled(kind));
    }

    private static SimulatedDisk damage(SimulatedDisk disk) throws IOException {
        byte[] wanted = TestStores.bytes("second");
        for (Path file : DirectoryTrees.files(disk, DIRECTORY)) {
            byte[] content = disk.contents(file);
            for (int at = 0; at + wanted.length <= content.length; at++) {
                if (Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)) {
                    content[at] ^= 1;
                    disk.replaceContents(file, content);
                    return disk;
                }
            }
        }
        return fail("the value is in no file");
    }

    private static StoreConfiguration configuration(TestStores.Kind kind) {
        StoreConfiguration on = kind.in(DIRECTORY);
        StoreConfiguration.Builder builder = StoreConfiguration.builder()
                .directory(DIRECTORY)
                .store(on.get(StoreOption.STORE))
                .set(StoreOption.MAX_STATE_SIZE, on.get(StoreOption.MAX_STATE_SIZE));
        return kind == TestStores.Kind.FILE
                ? builder.build()
                : builder.set(StoreOption.JOURNAL_ENGINE, "segmented")
                        .set(StoreOption.JOURNAL_IO, "channel")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .build();
    }

    private static StoreInspection inspect(Disk disk) {
        return new SimulatedStores(disk).inspectorOf(DIRECTORY).inspect(DIRECTORY);
    }

    private static Map<StateKey, String> records(StoreInspection inspection) {
        Map<StateKey, String> found = new TreeMap<>(InspectedRecord.ORDER);
        inspection
                .records()
                .forEach(record -> found.put(
                        record.key(),
                        record.status()
                                + Arrays.toString(record.image().committed())
                                + Arrays.toString(record.image().shadow())));
        return found;
    }

    /** What the store's files hold, by their relative names. */
    private static Map<String, String> contents(SimulatedDisk disk, Path root) throws IOException {
        Map<String, String> found = new TreeMap<>();
        for (Path file : new ArrayList<>(DirectoryTrees.files(disk, root))) {
            String name = root.relativize(file).toString();
            if (!Set.of("tallystick.lock", "tallystick.owner", "tallystick.place")
                    .contains(name)) {
                found.put(name, Arrays.hashCode(disk.contents(file)) + " " + disk.contents(file).length);
            }
        }
        return found;
    }
}
