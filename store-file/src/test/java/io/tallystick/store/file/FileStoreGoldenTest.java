package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Opens the directory that commit ef36a9e left when its process was killed, and reads every state. The directory holds
 * a state of each status, two spare files, the node and the last owner. Only the name of the owner's machine was
 * changed.
 */
class FileStoreGoldenTest {
    private static final String RESOURCE = "golden/file-v1-killed";

    @TempDir
    Path temporary;

    private Path golden;

    @BeforeEach
    void copyGoldenStore() throws Exception {
        Path source = Path.of(getClass().getClassLoader().getResource(RESOURCE).toURI());
        golden = temporary.resolve("golden");
        try (Stream<Path> tree = Files.walk(source)) {
            for (Path path : tree.toList()) {
                Files.copy(path, golden.resolve(source.relativize(path)));
            }
        }
    }

    @Test
    void everyStateIsReadWithItsStatus() {
        try (FileStore store = open()) {
            assertThat(store.statistics().records()).isEqualTo(images().size());
            assertThat(store.types())
                    .containsExactlyInAnyOrderElementsOf(images().keySet().stream()
                            .map(StateKey::type)
                            .distinct()
                            .toList());
            images().forEach((key, image) -> {
                assertThat(store.statusOf(key)).as(key.toPrintable()).isEqualTo(image.status());
                if (image.isHidden()) {
                    assertThat(store.read(key)).isEmpty();
                    assertThat(store.readShadow(key)).isEmpty();
                    store.reveal(key);
                }
                assertThat(store.read(key).orElse(null)).as(key.toPrintable()).isEqualTo(image.committed());
                assertThat(store.readShadow(key).orElse(null))
                        .as(key.toPrintable())
                        .isEqualTo(image.shadow());
            });
        }
    }

    @Test
    void theStoreTakesMoreStatesAndOpensAgain() {
        StateKey changed = StateKey.parse("/AtomicAction:01");
        StateKey removed = StateKey.parse("/AtomicAction:08");
        try (FileStore store = open()) {
            store.write(changed, bytes("changed"), Durability.FORCED);
            store.remove(removed, Durability.DEFERRED);
        }
        try (FileStore store = open()) {
            assertThat(store.read(changed)).contains(bytes("changed"));
            assertThat(store.read(removed)).isEmpty();
            assertThat(store.statistics().records()).isEqualTo(images().size() - 1);
        }
    }

    @Test
    void theInspectorFindsTheSameStatesAndNoDamage() {
        StoreInspection found = new FileStoreInspector().inspect(golden);

        assertThat(found.damages()).isEmpty();
        assertThat(found.records())
                .extracting(InspectedRecord::key, InspectedRecord::status)
                .containsExactlyInAnyOrderElementsOf(images().entrySet().stream()
                        .map(entry -> tuple(entry.getKey(), entry.getValue().status()))
                        .toList());
    }

    private FileStore open() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .directory(golden)
                .set("tallystick.node-id", "node-1")
                .build();
        return FileStore.open(
                FileStoreOptions.from(configuration).withExistingExpected(true), new SystemDisk(), NanoClock.SYSTEM);
    }

    private static Map<StateKey, StateImage> images() {
        byte[] committed = bytes("committed");
        byte[] shadow = bytes("shadow");
        Map<StateKey, StateImage> images = new LinkedHashMap<>();
        images.put(StateKey.parse("/AtomicAction:01"), StateImage.of(committed, null, false));
        images.put(StateKey.parse("/AtomicAction:02"), StateImage.of(null, shadow, false));
        images.put(StateKey.parse("/AtomicAction:03"), StateImage.of(committed, shadow, false));
        images.put(StateKey.parse("/AtomicAction:04"), StateImage.of(committed, null, true));
        images.put(StateKey.parse("/AtomicAction:05"), StateImage.of(committed, shadow, true));
        images.put(StateKey.parse("/AtomicAction:06"), StateImage.of(null, shadow, true));
        images.put(StateKey.parse("/AtomicAction:07"), StateImage.of(bytes("committed later"), null, false));
        images.put(StateKey.parse("/AtomicAction:08"), StateImage.of(bytes("written again"), null, false));
        images.put(StateKey.parse("/AtomicAction:09"), StateImage.of(new byte[0], null, false));
        images.put(
                StateKey.parse("/AtomicAction/Child:" + "0f".repeat(64)),
                StateImage.of(bytes("0123456789".repeat(500)), null, false));
        images.put(
                StateKey.parse("/\u00fcber/a.b-c/" + "x".repeat(121) + ":ff"), StateImage.of(committed, null, false));
        images.put(StateKey.parse("/Async:0a"), StateImage.of(bytes("asynchronous"), null, false));
        return images;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
