package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/embedding-narayana.md says of two data sources with one name: Narayana does it, whatever the store. */
@Tag("long")
class SharedNameTest {
    @TempDir
    private Path directory;

    @Test
    void recoveryDropsTheRecordOfAPreparedBranchWhoseResourceIsDownAndSharesItsName() throws IOException {
        assertThatTheRecordIsDropped(ours());
    }

    @Test
    void itDoesSoOnNarayanasOwnStoreToo() throws IOException {
        Map<String, String> narayanas = ours();
        narayanas.keySet().removeIf(key -> key.startsWith("tallystick.") || key.endsWith("objectStoreType"));
        for (String role : NarayanaProcess.ROLES) {
            narayanas.put(
                    "ObjectStoreEnvironmentBean." + role + "objectStoreDir",
                    directory.resolve("narayana").toString());
        }
        assertThatTheRecordIsDropped(narayanas);
    }

    @Test
    void withANameForEachTheRecordStaysUntilTheResourceIsThereAgain() throws IOException {
        Map<String, String> properties = ours();
        crash(properties);

        assertThat(recoverWithoutTheSecond(properties)).contains(RecoveringProcess.LEFT + 1);
        assertThat(FileResource.transactions(second(), "prepared")).hasSize(1);

        assertThat(recover(properties)).contains(RecoveringProcess.LEFT + 0);
        assertThat(FileResource.transactions(second(), "committed")).hasSize(1);
    }

    private void assertThatTheRecordIsDropped(Map<String, String> properties) throws IOException {
        properties.put(CrashingProcess.SHARED_NAME, "jdbc");
        crash(properties);

        assertThat(recoverWithoutTheSecond(properties)).contains(RecoveringProcess.LEFT + 0);

        assertThat(FileResource.transactions(transaction().resolve("a"), "committed"))
                .hasSize(1);
        assertThat(FileResource.transactions(second(), "prepared")).hasSize(1);
    }

    private void crash(Map<String, String> properties) {
        ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(
                        CrashingProcess.STATUS,
                        "before commit",
                        "1",
                        transaction().toString());
    }

    private String recoverWithoutTheSecond(Map<String, String> properties) {
        Map<String, String> down = new HashMap<>(properties);
        down.put(RecoveringProcess.SECOND_IS_DOWN, "true");
        return recover(down);
    }

    private String recover(Map<String, String> properties) {
        return ChildJvm.of(RecoveringProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, transaction().getParent().toString());
    }

    private Map<String, String> ours() {
        return new HashMap<>(
                NarayanaProcess.properties(StoreKind.SEGMENTED_CHANNEL.settings(), directory.resolve("store")));
    }

    private Path transaction() {
        return directory.resolve("resources").resolve("transaction");
    }

    private Path second() {
        return transaction().resolve("b");
    }
}
