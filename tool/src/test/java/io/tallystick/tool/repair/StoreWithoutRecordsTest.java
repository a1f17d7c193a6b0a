package io.tallystick.tool.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that holds no record is exchanged as any other. */
class StoreWithoutRecordsTest {
    @TempDir
    Path root;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aStoreWithoutRecordsIsCompacted(Kind kind) {
        Path store = emptied(kind);

        ToolRun.of("compact", store).endsWith(ExitStatus.OK);

        assertThat(store.resolve("tallystick.quarantine")).doesNotExist();
        ToolRun.of("verify", store).endsWith(ExitStatus.OK);
        kind.open(store).close();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aRepairThatKeptNoRecordIsTakenBack(Kind kind) throws Exception {
        Path store = root.resolve("tx");
        try (ObjectStore opened = kind.open(store)) {
            opened.write(TestStores.PLAIN, TestStores.bytes("the only one"), Durability.FORCED);
        }
        TestStores.damage(store, "the only one");
        String aside = ToolRun.of("repair", "--yes", "--json", store)
                .endsWith(ExitStatus.OK)
                .json()
                .getString("quarantine", "");

        ToolRun.of("quarantine", "restore", store, aside).endsWith(ExitStatus.OK);

        assertThat(ToolRun.of("verify", store).endsWith(ExitStatus.NEGATIVE).out())
                .contains("damages=");
    }

    /** What lies beside the states and is not the store's is put aside and not deleted. */
    @Test
    void aStrangerAmongNoStatesIsPutAsideByARepairAndKeepsACompactionAway() throws Exception {
        Path store = emptied(Kind.FILE);
        Files.writeString(store.resolve("states/notes.txt"), "mine");

        ToolRun.of("compact", store).endsWith(ExitStatus.NEGATIVE);
        assertThat(store.resolve("states/notes.txt")).hasContent("mine");
        String aside = ToolRun.of("repair", "--yes", "--json", store)
                .endsWith(ExitStatus.OK)
                .json()
                .getString("quarantine", "");

        assertThat(store.resolve("tallystick.quarantine").resolve(aside).resolve("files/states/notes.txt"))
                .hasContent("mine");
    }

    private Path emptied(Kind kind) {
        Path store = root.resolve("tx");
        try (ObjectStore opened = kind.open(store)) {
            opened.write(TestStores.PLAIN, TestStores.bytes("plain"), Durability.FORCED);
            opened.remove(TestStores.PLAIN, Durability.FORCED);
        }
        return store;
    }
}
