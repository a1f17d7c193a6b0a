package io.tallystick.tool.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.SourceState;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.file.FileStore;
import io.tallystick.store.file.FileStoreOptions;
import io.tallystick.store.spi.StateImage;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What a migration finds out before it publishes. */
class MigrationTest {
    private static final Path TARGET = Path.of("/new/tx");
    private static final StateKey ONE = StateKey.of("/Type", ObjectId.parse("01"));
    private static final StateKey TWO = StateKey.of("/Type", ObjectId.parse("02"));

    private final SimulatedDisk disk = new SimulatedDisk();

    @Test
    void aSourceThatChangesWhileItIsReadIsInUse() {
        assertRefused(
                new Readings(List.of(state(ONE, "a")), List.of(state(ONE, "b"))),
                UnaryOperator.identity(),
                ExitStatus.IN_USE,
                "was changed while it was read");
        assertRefused(
                new Readings(List.of(state(ONE, "a")), List.of(state(ONE, "a"), state(TWO, "b"))),
                UnaryOperator.identity(),
                ExitStatus.IN_USE,
                "was changed while it was read");
    }

    @Test
    void aTargetThatLosesAStateIsNotPublished() {
        assertRefused(
                Readings.ofSame(state(ONE, "a"), state(TWO, "b")),
                kept -> {
                    kept.remove(TWO);
                    return kept;
                },
                ExitStatus.FAILED,
                "did not keep the states that were written");
    }

    @Test
    void aTargetThatChangesAByteIsNotPublished() {
        assertRefused(
                Readings.ofSame(state(ONE, "a"), state(TWO, "b")),
                kept -> {
                    kept.put(TWO, () -> StateImage.of(bytes("c"), null, false));
                    return kept;
                },
                ExitStatus.FAILED,
                TWO + " is different");
    }

    @Test
    void aTargetThatForgetsThatAStateIsHiddenIsNotPublished() {
        assertRefused(
                Readings.ofSame(new SourceState(ONE, StateImage.of(bytes("a"), null, true), "here")),
                kept -> {
                    kept.put(ONE, () -> StateImage.of(bytes("a"), null, false));
                    return kept;
                },
                ExitStatus.FAILED,
                ONE + " is different");
    }

    @Test
    void twoStatesWithOneKeyAreRefused() {
        assertRefused(
                Readings.ofSame(state(ONE, "a"), state(ONE, "a")),
                UnaryOperator.identity(),
                ExitStatus.NEGATIVE,
                "a second state for the key");
    }

    private void assertRefused(
            Readings source,
            UnaryOperator<Map<StateKey, Supplier<StateImage>>> damage,
            ExitStatus status,
            String message) {
        TargetStore target = new TargetStore() {
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
                Map<StateKey, Supplier<StateImage>> kept = new HashMap<>();
                source.first.forEach(state -> kept.put(state.key(), state::image));
                return damage.apply(kept);
            }
        };
        assertThatThrownBy(() -> {
                    try (Staging staging = Staging.at(disk, TARGET)) {
                        new Migration(source, new StagedDirectory(staging, target), (step, states) -> {})
                                .run(new Findings(), false);
                    }
                })
                .isInstanceOfSatisfying(ToolException.class, refused -> assertThat(refused.status())
                        .isEqualTo(status))
                .hasMessageContaining(message);
        assertThat(exists(TARGET.getParent())).as("what a refused run has made").isFalse();
    }

    private boolean exists(Path path) {
        try {
            return disk.list(Path.of("/")).contains(path);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static SourceState state(StateKey key, String text) {
        return new SourceState(key, StateImage.of(bytes(text), null, false), "here");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A source that says one thing first and may say another later. */
    private static final class Readings implements LogSource {
        private final List<SourceState> first;
        private final List<SourceState> later;
        private boolean wasRead;

        Readings(List<SourceState> first, List<SourceState> later) {
            this.first = first;
            this.later = later;
        }

        static Readings ofSame(SourceState... states) {
            return new Readings(List.of(states), List.of(states));
        }

        @Override
        public String description() {
            return "a source";
        }

        @Override
        public void read(Receiver receiver, Findings findings) throws IOException {
            for (SourceState state : wasRead ? later : first) {
                receiver.take(state);
            }
            wasRead = true;
        }

        @Override
        public boolean mustBeStopped() {
            return false;
        }
    }
}
