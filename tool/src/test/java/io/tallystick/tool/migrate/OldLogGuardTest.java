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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process with Narayana and one of its own stores dies after the decision to commit, with a branch prepared. The next
 * process is configured for a store of ours, as if nothing were left.
 */
class OldLogGuardTest {
    // The journal is the last, as CrashingNarayana wants it.
    private static final List<NarayanaStore> STORES =
            List.of(NarayanaStore.FILES, NarayanaStore.SLOTS, NarayanaStore.JOURNAL);
    private static final Pattern COMMAND = Pattern.compile("run: tallystick (migrate .+?)\\. Or ");

    @TempDir
    private static Path root;

    @BeforeAll
    static void crash() {
        crash(root);
    }

    private static void crash(Path root) {
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

    @Test
    void aNewStoreIsRefusedUntilTheOldLogWasMigratedAndThenRecoveryEndsItsTransaction() throws IOException {
        refuseMigrateAndRecover(NarayanaStore.FILES);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"JOURNAL", "SLOTS"})
    void aNewStoreIsRefusedUntilTheLogOfAnotherKindWasMigrated(NarayanaStore store) throws IOException {
        refuseMigrateAndRecover(store);
    }

    private static void refuseMigrateAndRecover(NarayanaStore store) throws IOException {
        Path target = root.resolve("new").resolve(store.name());
        String refused = start(1, store, target, Map.of());

        assertThat(Pattern.compile("TALLY0415 .*TALLY0412 the store is new, but 1 transaction lies in Narayana's ")
                        .matcher(refused)
                        .results())
                .as(refused)
                .hasSize(1);
        assertThat(refused).contains(old(store).toString()).contains("tallystick.on-old-log=ignore");
        assertThat(target).doesNotExist();
        assertThat(branches(store, "b", "prepared")).isEqualTo(1);

        Matcher command = COMMAND.matcher(refused);
        assertThat(command.find()).as(refused).isTrue();
        ToolRun.of((Object[]) command.group(1).split(" ")).endsWith(ExitStatus.OK);

        assertThat(start(0, store, target, Map.of()))
                .contains(RecoveringNarayana.FOUND + 1)
                .contains(RecoveringNarayana.LEFT + 0);
        assertThat(branches(store, "b", "committed")).isEqualTo(1);
        assertThat(branches(store, "b", "prepared")).isZero();

        // The old log is still there. Everything in it was taken along to that store, which is empty now.
        assertThat(start(0, store, target, Map.of()))
                .contains(RecoveringNarayana.FOUND + 0)
                .doesNotContain("TALLY0412");
        assertThat(start(1, store, root.resolve("newer").resolve(store.name()), Map.of()))
                .contains("TALLY0412 the store is new, but 1 transaction lies in")
                .contains("use the store that has them, with tallystick.directory=" + target);
    }

    /** As where the old store was started once more after the migration. */
    @Tag("long")
    @Test
    void aTransactionThatCameAfterTheMigrationIsCountedAndTheMigratedOneIsNot() throws IOException {
        Path other = Files.createDirectories(root.resolve("later"));
        crash(other);
        for (NarayanaStore store : STORES) {
            ToolRun.of("migrate", CrashingNarayana.stores(other).resolve(store.name()), other.resolve("new-" + store))
                    .endsWith(ExitStatus.OK);
        }
        crash(other);
        for (NarayanaStore store : STORES) {
            assertThat(startAt(other, 1, store, other.resolve("new-" + store), Map.of()))
                    .contains("TALLY0412 the store was used before, but 1 transaction lies in Narayana's ");
        }
    }

    @Tag("long")
    @Test
    void aWarningOrNothingIsWhatTheSettingMakesOfIt() throws IOException {
        Path other = Files.createDirectories(root.resolve("settings"));
        crash(other);
        for (String value : List.of("warn", "ignore")) {
            String printed = startAt(
                    other,
                    0,
                    NarayanaStore.FILES,
                    other.resolve("new-" + value),
                    Map.of("tallystick.on-old-log", value, "JTAEnvironmentBean.orphanSafetyInterval", "3600000"));
            assertThat(printed.contains("TALLY0414 the store is new, but 1 transaction lies in"))
                    .as(printed)
                    .isEqualTo(value.equals("warn"));
        }
        assertThat(startAt(other, 1, NarayanaStore.FILES, other, Map.of("tallystick.store", "inmemory")))
                .contains("TALLY0412")
                .contains("NEW-DIRECTORY");
        // The setting has to stay as long as the old log.
        assertThat(startAt(other, 1, NarayanaStore.FILES, other.resolve("new-warn"), Map.of()))
                .contains("TALLY0412 the store was used before, but 1 transaction lies in");
    }

    private static Path old(NarayanaStore store) {
        return CrashingNarayana.stores(root).resolve(store.name());
    }

    private static int branches(NarayanaStore store, String resource, String state) throws IOException {
        return FileResource.transactions(CrashingNarayana.resource(root, store.name(), resource), state)
                .size();
    }

    private static String start(int status, NarayanaStore store, Path target, Map<String, String> more) {
        return startAt(root, status, store, target, more);
    }

    private static String startAt(Path root, int status, NarayanaStore store, Path target, Map<String, String> more) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("com.arjuna.ats.arjuna.objectstore.objectStoreType", TallystickObjectStore.class.getName());
        properties.put("tallystick.directory", target.toString());
        properties.put("tallystick.journal.io", "channel");
        // Where that store was configured, each with a key of its own.
        properties.put(
                switch (store) {
                    case JOURNAL -> "HornetqJournalEnvironmentBean.storeDir";
                    case SLOTS -> "SlotStoreEnvironmentBean.storeDir";
                    default -> "ObjectStoreEnvironmentBean.objectStoreDir";
                },
                CrashingNarayana.stores(root).resolve(store.name()).toString());
        properties.put("JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", NamedResources.class.getName());
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "0");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        properties.putAll(more);
        return ChildJvm.of(RecoveringNarayana.class)
                .in(root)
                .withProperties(properties)
                .endsWith(status, root.toString(), store.name());
    }
}
