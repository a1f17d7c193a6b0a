package io.tallystick.tool.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person has put into the quarantine is that person's. */
class QuarantineByHandTest {
    @TempDir
    Path root;

    private Path store;
    private Path quarantine;

    @BeforeEach
    void fillAStore() throws IOException {
        store = TestStores.filled(Kind.FILE, root.resolve("tx"));
        quarantine = store.resolve("tallystick.quarantine");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "by-hand/0a1b.state",
                "2026-11-01T10-00-00Z-repair/0a1b.state",
                "2026-11-01T10-00-00Z-compact/other/0a1b.state",
                "0a1b.state",
                "manifest"
            })
    void aFileThatAPersonPutAsideOutlivesEachCommandAndFailsNone(String place) throws IOException {
        Path byHand = quarantine.resolve(place);
        Files.createDirectories(byHand.getParent());
        Files.writeString(byHand, "settled by hand");

        ToolRun.of("quarantine", "list", store).endsWith(ExitStatus.OK);
        ToolRun.of("compact", store).endsWith(ExitStatus.OK);
        TestStores.damage(store.resolve("states"), "second");
        String aside = ToolRun.of("repair", "--yes", "--json", store)
                .endsWith(ExitStatus.OK)
                .json()
                .getString("quarantine", "");
        assertThat(ToolRun.of("quarantine", "list", store)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains(aside);
        ToolRun.of("quarantine", "restore", store, aside).endsWith(ExitStatus.OK);

        assertThat(byHand).hasContent("settled by hand");
    }

    @Test
    void anEmptyDirectoryThatAPersonMadeStays() throws IOException {
        Path made = Files.createDirectories(quarantine.resolve("by-hand/files"));

        ToolRun.of("compact", store).endsWith(ExitStatus.OK);

        assertThat(made).isDirectory();
    }

    @Test
    void aRestorationGoesBesideThem() throws IOException {
        Path backup = root.resolve("backup");
        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);
        Path target = Files.createDirectory(root.resolve("target"));
        Files.createDirectory(target.resolve("tallystick.quarantine"));
        Path byHand = Files.writeString(target.resolve("tallystick.quarantine/0a1b.state"), "settled by hand");

        ToolRun.of("restore", backup, target).endsWith(ExitStatus.OK);

        assertThat(byHand).hasContent("settled by hand");
    }

    @Test
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "no file may have such a name")
    void aNameInTheQuarantineIsPrintedWithoutWhatControlsATerminal() throws IOException {
        TestStores.damage(store, "second");
        ToolRun.of("repair", "--yes", store).endsWith(ExitStatus.OK);
        Path entry = Files.list(quarantine).findFirst().orElseThrow();
        Files.move(entry, quarantine.resolve("a\u001b[31m"));

        assertThat(ToolRun.of("quarantine", "list", store)
                        .endsWith(ExitStatus.OK)
                        .out())
                .startsWith("a\\u001b[31m files=");
    }

    @Test
    void aFileInThePlaceOfTheQuarantineIsNamed() throws IOException {
        Files.writeString(quarantine, "mine");

        ToolRun.of("quarantine", "list", store).endsWith(ExitStatus.OK);
        assertThat(ToolRun.of("compact", store).endsWith(ExitStatus.REFUSED).err())
                .contains("file=" + quarantine + " is not a directory");
        assertThat(quarantine).hasContent("mine");
    }
}
