package io.tallystick.tool.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.FileResource;
import io.tallystick.narayana.NamedResources;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.storage.ChildJvm;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process with Narayana and one of its own stores dies between the commits of two resources. Its store is migrated,
 * and Narayana commits the second resource from ours.
 */
class InDoubtMigrationTest {
    private static final List<NarayanaStore> STORES =
            List.of(NarayanaStore.FILES, NarayanaStore.SLOTS, NarayanaStore.TABLE, NarayanaStore.JOURNAL);
    private static final Map<NarayanaStore, String> TARGETS = Map.of(
            NarayanaStore.FILES, "segmented",
            NarayanaStore.JOURNAL, "segmented",
            NarayanaStore.SLOTS, "file",
            NarayanaStore.TABLE, "file");

    @TempDir
    private static Path root;

    /** One for all: the time of this test is the start of processes. */
    @BeforeAll
    static void crash() {
        ChildJvm.of(CrashingNarayana.class)
                .in(root)
                .withProperties(Map.of(
                        "JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", NamedResources.class.getName()))
                .endsWith(
                        CrashingNarayana.STATUS,
                        Stream.concat(
                                        Stream.of(root.toString()),
                                        STORES.stream().map(Enum::name))
                                .toArray(String[]::new));
    }

    @ParameterizedTest
    @EnumSource(names = {"JOURNAL", "TABLE"})
    void narayanaEndsFromOursWhatItHadBegunInItsOwn(NarayanaStore store) throws IOException {
        migrateAndRecover(store);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"FILES", "SLOTS"})
    void narayanaEndsFromOursWhatItHadBegunInAnotherKindOfStore(NarayanaStore store) throws IOException {
        migrateAndRecover(store);
    }

    private static void migrateAndRecover(NarayanaStore store) throws IOException {
        Path target = root.resolve("new").resolve(store.name());
        assertThat(branches(store, "a", "committed")).isEqualTo(1);
        assertThat(branches(store, "b", "prepared")).isEqualTo(1);

        ToolRun run = ToolRun.of(
                        "migrate",
                        "--json",
                        "--to=" + TARGETS.get(store),
                        "-Dtallystick.journal.segment-size=1MiB",
                        "--user=sa",
                        "--password-file=" + Files.writeString(root.resolve("password"), "secret\n"),
                        "--table=" + NarayanaStore.TABLE_NAME,
                        store.from(CrashingNarayana.stores(root).resolve(store.name())),
                        target)
                .endsWith(ExitStatus.OK);

        assertThat(run.json().getInt("states", 0)).isPositive();
        String printed = ChildJvm.of(RecoveringNarayana.class)
                .in(root)
                .withProperties(properties(store, target))
                .endsWith(0, root.toString(), store.name());
        assertThat(printed).contains(RecoveringNarayana.FOUND + 1).contains(RecoveringNarayana.LEFT + 0);
        assertThat(branches(store, "b", "committed")).as(printed).isEqualTo(1);
        assertThat(branches(store, "b", "prepared")).as(printed).isZero();
    }

    private static int branches(NarayanaStore store, String resource, String state) throws IOException {
        return FileResource.transactions(CrashingNarayana.resource(root, store.name(), resource), state)
                .size();
    }

    private static Map<String, String> properties(NarayanaStore store, Path target) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("tallystick.store", TARGETS.get(store).equals("file") ? "file" : "journal");
        properties.put("tallystick.directory", target.toString());
        properties.put("tallystick.expect-existing", "true");
        properties.put("tallystick.journal.io", "channel");
        for (String role : List.of("", "stateStore.", "communicationStore.")) {
            properties.put(
                    "ObjectStoreEnvironmentBean." + role + "objectStoreType", TallystickObjectStore.class.getName());
        }
        properties.put("JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", NamedResources.class.getName());
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "0");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        return properties;
    }
}
