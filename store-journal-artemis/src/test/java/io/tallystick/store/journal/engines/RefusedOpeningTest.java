package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.UnansweredWrites;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.UnsupportedFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store that is refused leaves nothing behind; a store at the wrong node is refused. */
class RefusedOpeningTest {
    @TempDir
    Path root;

    @ParameterizedTest
    @CsvSource({"tallystick.expect-existing, true", "tallystick.journal.segment-size, 64KiB"})
    void nothingIsMadeWhereOpeningIsRefused(String key, String value) {
        assertRefusedBeforeAnythingIsMade(key, value);
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_21)
    void nothingIsMadeForAWayToWriteThatThisJdkDoesNotHave() {
        assertRefusedBeforeAnythingIsMade("tallystick.journal.io", "uring");
    }

    private void assertRefusedBeforeAnythingIsMade(String key, String value) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder()
                .directory(root.resolve("volume/tx"))
                .set(key, value);

        assertThatThrownBy(() -> ObjectStores.open(builder.build()).close())
                .isInstanceOfAny(StoreIoException.class, IllegalArgumentException.class)
                .hasMessageContaining("tallystick.");
        assertThat(root).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({"segmented", "artemis"})
    void storeWithAWriteThatIsStillOutIsRefusedUntilTheProcessEnds(String engine) throws IOException {
        try (ObjectStore store = open(engine, "orders-0")) {
            Path directory = store.description().directory().orElseThrow();
            UnansweredWrites.keep(directory.resolve("some-segment"), new Object());
        }

        assertThatThrownBy(() -> open(engine, "orders-0"))
                .isInstanceOfSatisfying(StoreLockedException.class, refused -> assertThat(refused.messageId())
                        .isEqualTo("TALLY0018"))
                .hasMessageContainingAll("some-segment", "end this process");
    }

    @ParameterizedTest
    @CsvSource({"segmented", "artemis"})
    void storeOfAnotherNodeIsRefusedUntouched(String engine) throws IOException {
        open(engine, "orders-0").close();
        long before = bytes();

        assertThatThrownBy(() -> open(engine, "orders-1"))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContainingAll("belongs to node=orders-0", "node=orders-1");
        assertThat(bytes()).isEqualTo(before);
        open(engine, "orders-0").close();
    }

    @ParameterizedTest
    @CsvSource({"segmented, 1MiB, 256KiB, 200000, 64KiB, 8KiB", "artemis, 64KiB, 4KiB, 2000, 1MiB, 128KiB"})
    void anOpeningThatIsRefusedBindsTheStoreToNoNode(
            String engine, String files, String largest, int stateBytes, String otherFiles, String otherLargest) {
        StateKey key = StateKey.of("/T", ObjectId.of(new byte[] {1}));
        try (ObjectStore store =
                ObjectStores.open(configuration(engine, files, largest).build())) {
            store.write(key, new byte[stateBytes], Durability.FORCED);
        }
        StoreConfiguration ofOrders0 = configuration(engine, otherFiles, otherLargest)
                .set("tallystick.node-id", "orders-0")
                .build();

        assertThatThrownBy(() -> ObjectStores.open(ofOrders0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(root.resolve("tallystick.node")).doesNotExist();
        try (ObjectStore store = ObjectStores.open(configuration(engine, files, largest)
                .set("tallystick.node-id", "orders-1")
                .build())) {
            assertThat(store.read(key)).contains(new byte[stateBytes]);
            assertThat(store.health().nodeId()).contains("orders-1");
        }
        assertThatThrownBy(() -> ObjectStores.open(ofOrders0)).hasMessageContaining("belongs to node=orders-1");
    }

    /** The store of an earlier version, too, gets its note only from an opening that succeeds. */
    @ParameterizedTest
    @CsvSource({"segmented, 1MiB, 256KiB, 200000, 64KiB, 8KiB", "artemis, 64KiB, 4KiB, 2000, 1MiB, 128KiB"})
    void anOpeningThatIsRefusedNotesNoPlace(
            String engine, String files, String largest, int stateBytes, String otherFiles, String otherLargest)
            throws IOException {
        StateKey key = StateKey.of("/T", ObjectId.of(new byte[] {1}));
        try (ObjectStore store =
                ObjectStores.open(configuration(engine, files, largest).build())) {
            store.write(key, new byte[stateBytes], Durability.FORCED);
        }
        Path note = root.resolve("tallystick.place");
        Files.delete(note);

        assertThatThrownBy(() -> ObjectStores.open(
                        configuration(engine, otherFiles, otherLargest).build()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(note).doesNotExist();
        ObjectStores.open(configuration(engine, files, largest).build()).close();
        assertThat(note).content().contains("path=" + root.toRealPath() + "\n");
    }

    private StoreConfiguration.Builder configuration(String engine, String files, String largest) {
        return StoreConfiguration.builder()
                .directory(root)
                .set("tallystick.journal.engine", engine)
                .set("tallystick.journal.io", "channel")
                .set("tallystick.journal.segment-size", files)
                .set("tallystick.max-state-size", largest);
    }

    @Test
    void aLoggerThatThrowsLeavesNoOwner() {
        Logger logger = Logger.getLogger(ObjectStores.class.getName());
        Handler throwing = new Handler() {
            @Override
            public void publish(LogRecord line) {
                throw new IllegalStateException("the logger is broken");
            }

            @Override
            public void flush() {
                // it keeps nothing
            }

            @Override
            public void close() {
                // it keeps nothing
            }
        };
        logger.addHandler(throwing);
        try {
            assertThatThrownBy(() -> open("segmented", "orders-0")).hasMessage("the logger is broken");
        } finally {
            logger.removeHandler(throwing);
        }

        assertThatCode(() -> open("segmented", "orders-0").close()).doesNotThrowAnyException();
    }

    @Test
    void damageOfTheNodesFileNamesThatFile() throws IOException {
        open("segmented", "orders-0").close();
        Files.writeString(root.resolve("tallystick.node"), "orders-1");

        assertThatThrownBy(() -> open("segmented", "orders-0"))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("tallystick.node");
    }

    private ObjectStore open(String engine, String node) {
        return ObjectStores.open(StoreConfiguration.builder()
                .directory(root)
                .set("tallystick.journal.engine", engine)
                .set("tallystick.journal.io", "channel")
                .set("tallystick.journal.segment-size", "64KiB")
                .set("tallystick.max-state-size", "4KiB")
                .set("tallystick.node-id", node)
                .build());
    }

    private long bytes() throws IOException {
        try (Stream<Path> files = Files.list(root)) {
            return files.mapToLong(
                            file -> file.toFile().lastModified() + file.toFile().length())
                    .sum();
        }
    }
}
