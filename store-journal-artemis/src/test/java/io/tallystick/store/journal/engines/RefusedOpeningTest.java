package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.UnansweredWrites;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.UnsupportedFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
