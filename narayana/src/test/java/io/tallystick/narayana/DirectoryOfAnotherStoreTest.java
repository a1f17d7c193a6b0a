package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A directory says which store and engine wrote it: opening it with another is an error that names both. */
class DirectoryOfAnotherStoreTest {
    private static final Map<StoreKind, String> NAMES = Map.of(
            StoreKind.FILE, "file-v1",
            StoreKind.SEGMENTED_CHANNEL, "journal-segmented-v1",
            StoreKind.ARTEMIS_CHANNEL, "journal-artemis-v1");
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    @TempDir
    Path directory;

    static Stream<Arguments> pairs() {
        return StoreKind.plainAndDurable().flatMap(there -> StoreKind.plainAndDurable()
                .filter(wanted -> wanted != there)
                .map(wanted -> Arguments.of(there, wanted)));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void openingItWithAnotherIsAnErrorThatNamesBothAndChangesNothing(StoreKind there, StoreKind wanted)
            throws IOException {
        try (ObjectStore store = there.open(directory)) {
            store.write(KEY, new byte[] {7}, Durability.FORCED);
        }
        Map<String, String> before = contents();

        assertThatThrownBy(() -> wanted.open(directory))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining(directory.toRealPath().toString())
                .hasMessageContaining("holds a store of kind " + NAMES.get(there))
                .hasMessageContaining("of kind " + NAMES.get(wanted) + " was asked for");

        assertThat(contents()).isEqualTo(before);
        try (ObjectStore store = there.open(directory)) {
            assertThat(store.read(KEY)).hasValue(new byte[] {7});
        }
    }

    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.filter(Files::isRegularFile).toList()) {
                contents.put(path.toString(), Long.toHexString(crc(Files.readAllBytes(path))));
            }
        }
        return contents;
    }

    private static long crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }
}
