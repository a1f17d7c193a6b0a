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

    private Path state() throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve(FileNames.ROOT))) {
            return files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    private ObjectStore open(StoreConfiguration.Builder configuration) {
        return ObjectStores.open(configuration.store("file").directory(root).build());
    }
}
