package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.JsonObject;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers leave nothing out in silence, and advise nothing that does not fit. */
class AnswersTest {
    @TempDir
    Path root;

    private Path store;

    @BeforeEach
    void fillAStore() {
        store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
    }

    @Test
    void aListThatLeavesKeysOutSaysSo() {
        ToolRun list = ToolRun.of("list", "--limit", "3", store).endsWith(ExitStatus.OK);
        assertThat(list.lines()).hasSize(3);
        assertThat(list.err()).isEqualTo("3 of 7 keys; --limit left out the others\n");
        JsonObject json = ToolRun.of("list", "--limit", "3", "--type", "/Shop/Order", "--json", store)
                .endsWith(ExitStatus.OK)
                .json();
        assertThat(json.getInt("keysInAll", 0)).isEqualTo(3);
        assertThat(json.getBoolean("truncated", true)).isFalse();
        json = ToolRun.of("list", "--limit", "2", "--type", "/Shop/Order", "--json", store)
                .json();
        assertThat(json.get("keys").asArray()).hasSize(2);
        assertThat(json.getInt("keysInAll", 0)).isEqualTo(3);
        assertThat(json.getBoolean("truncated", false)).isTrue();
        assertThat(ToolRun.of("list", "--limit", "7", store).err()).isEmpty();
    }

    @Test
    void aMissingSlashOfATypeIsHintedAt() {
        assertThat(ToolRun.of("list", "--type", "Shop", store)
                        .endsWith(ExitStatus.OK)
                        .err())
                .contains("none of 7 keys", "did you mean --type /Shop?");
        assertThat(ToolRun.of("list", "--type", "Shopping", store).err()).doesNotContain("did you mean");
    }

    @Test
    void aKeyThatIsNoneIsSentToTheList() {
        for (String key : new String[] {"garbage", "/no-id", "/a:zz"}) {
            assertThat(ToolRun.of("show", store, key).endsWith(ExitStatus.USAGE).err())
                    .contains("'" + key + "'", "'tallystick list' prints the keys");
        }
    }

    @Test
    void aQuarantineWithNothingInItIsToldToBeEmpty() {
        assertThat(ToolRun.of("quarantine", "list", store)
                        .endsWith(ExitStatus.OK)
                        .err())
                .contains("has no quarantined files");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aRepairOfAHealthyStoreDoesNotNameItselfAsTheOwner(Kind kind) {
        Path closed = TestStores.filled(kind, root.resolve("closed"));

        ToolRun repair = ToolRun.of("repair", "--yes", closed).endsWith(ExitStatus.OK);
        assertThat(repair.out()).contains("healthy").doesNotContain("in-use-by");
        assertThat(ToolRun.of("repair", "--yes", "--json", closed).json().get("holder"))
                .isNull();
    }

    @Test
    void aRepairDoesNotAdviseARepair() throws IOException {
        TestStores.damage(store, "second");
        assertThat(ToolRun.of("repair", store).endsWith(ExitStatus.NEGATIVE).out())
                .contains("run repair");

        assertThat(ToolRun.of("repair", "--yes", store).endsWith(ExitStatus.OK).out())
                .contains("kind=record", "settle lost records by hand")
                .doesNotContain("run repair");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aCompactionThatGainsNothingSaysWhy(Kind kind) {
        Path closed = TestStores.filled(kind, root.resolve("closed"));
        ToolRun.of("compact", closed).endsWith(ExitStatus.OK);

        assertThat(ToolRun.of("compact", closed).endsWith(ExitStatus.OK).err())
                .contains("nothing was gained", kind == Kind.FILE ? "one file for each record" : "four segments");
    }

    @Test
    void aLinkToAStoreHasTheSameStatusInEveryCommand() throws IOException {
        Path export = root.resolve("export.jsonl");
        Path backup = root.resolve("backup");
        ToolRun.of("export", "--to", export, store).endsWith(ExitStatus.OK);
        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);
        Path link = Files.createSymbolicLink(root.resolve("link"), store);
        for (Object[] command : new Object[][] {
            {"list", link},
            {"show", link, "0a01"},
            {"stat", link},
            {"verify", link},
            {"export", link},
            {"import", link, export},
            {"repair", link},
            {"repair", "--yes", link},
            {"compact", link},
            {"quarantine", "list", link},
            {"quarantine", "restore", link, "2026-01-01T00-00-00Z-repair"},
            {"accept-copy", link, "--reason", "x"},
            {"accept-loss", link},
            {"backup", link, root.resolve("other")},
            {"backup", store, link},
            {"restore", backup, link},
            {"migrate", store, link}
        }) {
            assertThat(ToolRun.of(command).exitCode())
                    .as("%s %s", command[0], command[1])
                    .isEqualTo(ExitStatus.NO_STORE.code());
        }
    }

    @Test
    void pathsInAnswersAreAbsolute() throws IOException {
        Path here = Path.of("").toAbsolutePath();
        Path relative = here.relativize(root.toRealPath());

        assertThat(ToolRun.of("backup", relative.resolve("tx"), relative.resolve("backup"))
                        .endsWith(ExitStatus.OK)
                        .out())
                .startsWith("backup=" + root.toRealPath().resolve("backup") + " ");
        assertThat(ToolRun.of("export", "--json", "--to", relative.resolve("e.jsonl"), relative.resolve("tx"))
                        .json()
                        .getString("file", ""))
                .isEqualTo(root.toRealPath().resolve("e.jsonl").toString());
    }
}
