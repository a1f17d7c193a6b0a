package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.file.format.FileNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file store that is refused stays as it was. */
class RefusedFileStoreTest {
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    @TempDir
    Path root;

    @Test
    void anOpeningThatIsRefusedBindsTheStoreToNoNode() throws IOException {
        try (ObjectStore store = open(StoreConfiguration.builder())) {
            store.write(KEY, new byte[100], Durability.FORCED);
        }
        Path state = state();
        byte[] sound = Files.readAllBytes(state);
        byte[] damaged = sound.clone();
        damaged[damaged.length / 2]++;
        Files.write(state, damaged);

        assertThatThrownBy(() -> open(StoreConfiguration.builder().set("tallystick.node-id", "orders-0")))
                .isInstanceOf(CorruptStoreException.class);
        assertThat(root.resolve("tallystick.node")).doesNotExist();
        Files.write(state, sound);
        try (ObjectStore store = open(StoreConfiguration.builder().set("tallystick.node-id", "orders-1"))) {
            assertThat(store.read(KEY)).contains(new byte[100]);
        }
        assertThat(root.resolve("tallystick.node")).content().contains("orders-1");
    }

    @Test
    void aCopyIsRefusedToItsNodeAndTakesNothingFromTheOriginal() throws IOException {
        Path original = Files.createDirectory(root.resolve("original"));
        Path copy = root.resolve("copy");
        StoreConfiguration.Builder node = StoreConfiguration.builder().set("tallystick.node-id", "orders-0");
        try (ObjectStore store = open(node, original)) {
            store.write(KEY, new byte[100], Durability.FORCED);
            try (Stream<Path> files = Files.walk(original)) {
                for (Path file : files.toList()) {
                    Files.copy(file, copy.resolve(original.relativize(file).toString()));
                }
            }

            assertThatThrownBy(() -> open(node, copy))
                    .isInstanceOfSatisfying(StoreIoException.class, refused -> assertThat(refused.isOfACopy())
                            .isTrue())
                    .hasMessageContaining("accept-copy");
            store.write(KEY, new byte[50], Durability.FORCED);
        }
        Files.delete(copy.resolve("tallystick.place"));
        try (ObjectStore store = open(node, copy)) {
            assertThat(store.read(KEY)).contains(new byte[100]);
        }
        try (ObjectStore store = open(node, original)) {
            assertThat(store.read(KEY)).contains(new byte[50]);
        }
    }

    private Path state() throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve(FileNames.ROOT))) {
            return files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    private ObjectStore open(StoreConfiguration.Builder configuration) {
        return open(configuration, root);
    }

    private static ObjectStore open(StoreConfiguration.Builder configuration, Path directory) {
        return ObjectStores.open(
                configuration.store("file").directory(directory).build());
    }
}
