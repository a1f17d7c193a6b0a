package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No copy of a journal takes the remembered way to the disk along, and no command takes it for a part of the store. */
class RememberedWayTest {
    private static final String MEMORY = "tallystick.io";

    @TempDir
    Path root;

    private Path store;

    @BeforeEach
    void makeStore() {
        store = root.resolve("tx");
        try (ObjectStore open = open(store, "segmented")) {
            open.write(TestStores.PLAIN, new byte[] {1}, Durability.FORCED);
        }
        assertThat(store.resolve(MEMORY)).exists();
    }

    @Test
    void neitherABackupNorARestoredStoreHasIt() throws IOException {
        Path backup = root.resolve("backup");
        Path restored = root.resolve("restored");

        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);
        ToolRun.of("restore", backup, restored).endsWith(ExitStatus.OK);

        assertThat(namesBelow(backup)).isNotEmpty().doesNotContain(MEMORY);
        assertThat(namesBelow(restored)).isNotEmpty().doesNotContain(MEMORY);
    }

    @Test
    void aMigratedStoreIsTriedAgain() {
        Path target = root.resolve("migrated");

        ToolRun.of("migrate", "-Dtallystick.journal.segment-size=1MiB", store, target)
                .endsWith(ExitStatus.OK);

        try (ObjectStore open = open(target, "segmented")) {
            assertThat(open.description().details()).doesNotContain("remembered");
            assertThat(open.read(TestStores.PLAIN)).isPresent();
        }
    }

    @Test
    void aCompactedStoreKeepsItAndItIsNotCounted() throws IOException {
        byte[] before = Files.readAllBytes(store.resolve(MEMORY));

        assertThat(ToolRun.of("stat", "--json", store)
                        .endsWith(ExitStatus.OK)
                        .json()
                        .get("files")
                        .asObject())
                .anyMatch(role -> role.getName().equals("hint"));
        ToolRun.of("compact", store).endsWith(ExitStatus.OK);

        assertThat(store.resolve(MEMORY)).hasBinaryContent(before);
        try (ObjectStore open = open(store, "segmented")) {
            assertThat(open.description().details()).contains("remembered in " + MEMORY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"segmented", "artemis"})
    void aDamagedMemoryIsNoDamageOfTheStore(String engine) throws IOException {
        Path journal = root.resolve(engine);
        open(journal, engine).close();
        Files.writeString(journal.resolve(MEMORY), "rot");

        ToolRun.of("verify", journal).endsWith(ExitStatus.OK);
        open(journal, engine).close();
        assertThat(Files.readString(journal.resolve(MEMORY))).startsWith("tallystick-io 1\n");
    }

    private static List<String> namesBelow(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static ObjectStore open(Path directory, String engine) {
        return ObjectStores.open(StoreConfiguration.builder()
                .directory(directory)
                .set(StoreOption.JOURNAL_ENGINE, engine)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, StoreOption.MIB)
                .set(StoreOption.MAX_STATE_SIZE, 16 * StoreOption.KIB)
                .build());
    }
}
