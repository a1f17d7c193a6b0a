package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.StoreIdentity;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What no command that writes does: follow a link below the store's directory, or trust a directory that others write
 * to.
 */
class WritingCommandsTest {
    @TempDir
    Path root;

    private Path store;
    private Path foreign;
    private Path backup;
    private Path export;

    @BeforeEach
    void prepare() throws IOException {
        store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        foreign = Files.createDirectory(root.resolve("foreign"));
        Files.writeString(foreign.resolve("notes.txt"), "mine");
        backup = root.resolve("backup");
        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);
        export = root.resolve("tx.jsonl");
        ToolRun.of("export", "--to", export, store).endsWith(ExitStatus.OK);
    }

    @Test
    void aQuarantineThatIsALinkIsRefusedAndNothingIsMovedThroughIt() throws IOException {
        TestStores.damage(store, "second");
        Files.createSymbolicLink(store.resolve("tallystick.quarantine"), foreign);

        isRefused("repair", "--yes", store);
        isRefused("quarantine", "restore", store, "2026-01-01T00-00-00Z-repair");
    }

    @Test
    void aCompactionMovesNothingThroughALink() throws IOException {
        Files.createSymbolicLink(store.resolve("tallystick.quarantine"), foreign);

        isRefused("compact", store);
    }

    /** As left by an exchange that was cut off: the files that wait to be moved are another directory's. */
    @ParameterizedTest
    @ValueSource(strings = {"new", "files"})
    void anExchangeIsNotFinishedThroughALink(String component) throws IOException {
        TestStores.damage(store, "second");
        String name = ToolRun.of("repair", "--yes", "--json", store)
                .endsWith(ExitStatus.OK)
                .json()
                .getString("quarantine", "");
        Path entry = store.resolve("tallystick.quarantine").resolve(name);
        if (component.equals("files")) {
            Files.move(entry.resolve("files"), root.resolve("moved-files"));
        }
        Files.createSymbolicLink(entry.resolve(component), foreign);
        Files.writeString(store.resolve("tallystick.swap"), name + "\n");

        isRefused("repair", "--yes", store);
        isRefused("compact", store);
    }

    @Test
    void aRestorationMovesNothingThroughALink() throws IOException {
        Path target = Files.createDirectory(root.resolve("target"), ownersOnly());
        Files.createSymbolicLink(target.resolve("tallystick.quarantine"), foreign);

        ToolRun run = ToolRun.of("restore", backup, target);

        run.endsWith(ExitStatus.REFUSED);
        assertThat(run.err()).contains("symbolic link");
        isForeignAsItWas();
    }

    @Test
    void aMigrationDeletesNothingThroughALink() throws IOException {
        Path target = Files.createDirectory(root.resolve("target"), ownersOnly());
        Files.createSymbolicLink(target.resolve("unfinished-migration"), foreign);

        assertThat(ToolRun.of("migrate", store, target)
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("symbolic link");
        isForeignAsItWas();
        assertThat(target.resolve("unfinished-migration")).isSymbolicLink();
    }

    @Test
    void anImportWritesNothingIntoADirectoryThatIsALink() throws IOException {
        Path files = TestStores.filled(Kind.FILE, root.resolve("tx-file"));
        Path states = Files.list(files).filter(Files::isDirectory).findFirst().orElseThrow();
        Files.move(states, root.resolve("moved"));
        Files.createSymbolicLink(states, root.resolve("moved"));
        Map<String, String> before = TestStores.snapshot(root.resolve("moved"));

        ToolRun.of("import", "--replace", files, export);

        assertThat(TestStores.snapshot(root.resolve("moved"))).isEqualTo(before);
    }

    @Test
    void aDirectoryThatOthersCanWriteToIsRefusedByEachCommandThatWrites() throws IOException {
        Path target = Files.createDirectory(root.resolve("target"));
        for (String permissions : List.of("rwxrwx---", "rwx----w-")) {
            Files.setPosixFilePermissions(store, PosixFilePermissions.fromString(permissions));
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString(permissions));
            Map<String, String> before = TestStores.snapshot(root);
            for (Object[] command : new Object[][] {
                {"repair", "--yes", store},
                {"compact", store},
                {"quarantine", "restore", store, "2026-01-01T00-00-00Z-repair"},
                {"restore", backup, target},
                {"import", store, export},
                {"import", "--create", "file", target, export},
                {"migrate", store, target},
                {"backup", store, target}
            }) {
                assertThat(ToolRun.of(command).endsWith(ExitStatus.REFUSED).err())
                        .contains("can write to", "chmod", "nothing was changed");
            }
            assertThat(TestStores.snapshot(root)).isEqualTo(before);
            ToolRun.of("verify", store).endsWith(ExitStatus.OK);
        }
        Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rwxr-xr-x"));
        ToolRun.of("compact", store).endsWith(ExitStatus.OK);
    }

    /** As Kubernetes' fsGroup leaves a volume after each mount. */
    @Test
    void aGroupThatIsTrustedMayWriteToTheDirectoryAndAllUsersMayNot() throws IOException {
        Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rwxrwx---"));
        assertThat(ToolRun.of("compact", store).endsWith(ExitStatus.REFUSED).err())
                .contains("owner=" + Files.getOwner(store).getName(), "group=", "mode=rwxrwx---", "--trust-group");

        ToolRun.of("compact", "--trust-group", store).endsWith(ExitStatus.OK);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(store.resolve("tallystick.store"))))
                .isEqualTo("rw-------");
        Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(ToolRun.of("compact", "--trust-group", store)
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("all users")
                .doesNotContain("--trust-group");
    }

    /** The quarantine comes from elsewhere, such as from an archive that was unpacked with another umask. */
    @Test
    void aQuarantineThatOthersCanWriteToIsRefused() throws IOException {
        TestStores.damage(store, "second");
        String name = ToolRun.of("repair", "--yes", "--json", store)
                .endsWith(ExitStatus.OK)
                .json()
                .getString("quarantine", "");
        Path files = store.resolve("tallystick.quarantine").resolve(name).resolve("files");
        Files.setPosixFilePermissions(files, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThat(ToolRun.of("quarantine", "restore", store, name)
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("file=" + files.toRealPath(), "can write to");
    }

    private void isRefused(Object... command) throws IOException {
        Map<String, String> before = TestStores.snapshot(store);
        assertThat(ToolRun.of(command).endsWith(ExitStatus.REFUSED).err())
                .contains("is a symbolic link", "nothing was changed");
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
        isForeignAsItWas();
        assertThat(store.resolve(StoreIdentity.FILE_NAME)).isRegularFile();
    }

    private void isForeignAsItWas() throws IOException {
        assertThat(Files.list(foreign).map(file -> file.getFileName().toString()))
                .containsExactly("notes.txt");
        assertThat(foreign.resolve("notes.txt")).hasContent("mine");
    }

    private static java.nio.file.attribute.FileAttribute<?> ownersOnly() {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    }
}
