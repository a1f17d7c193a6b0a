package io.tallystick.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of each system, on a disk that follows them here. Nothing here shows what Windows does. */
@Timeout(60)
class SystemRulesTest {
    private static final Function<String, IOException> DENIED = AccessDeniedException::new;
    private static final Function<String, IOException> SHARED =
            file -> new FileSystemException(file, null, "Der Prozess kann nicht auf die Datei zugreifen");

    @TempDir
    Path directory;

    private final FailingFileSystem files = new FailingFileSystem();

    private static SystemDisk disk(SystemRules rules) {
        return new SystemDisk(Duration.ofSeconds(1), rules);
    }

    @ParameterizedTest
    @CsvSource({
        "Windows 11, WINDOWS",
        "Windows Server 2022, WINDOWS",
        "windows nt (unknown), WINDOWS",
        "Mac OS X, MAC_OS",
        "Linux, UNIX",
        "Darwinia, UNIX",
        "AIX, UNIX",
        "'', UNIX"
    })
    void theNameOfTheSystemDecides(String osName, SystemRules rules) {
        assertThat(SystemRules.of(osName)).isEqualTo(rules);
    }

    @ParameterizedTest
    @EnumSource(value = SystemRules.class, names = "WINDOWS", mode = EnumSource.Mode.EXCLUDE)
    void aDirectoryThatIsRefusedIsAnErrorWhereDirectoriesAreForced(SystemRules rules) {
        files.refuse(1, DENIED);

        assertThatThrownBy(() -> disk(rules).forceDirectory(files.path(directory)))
                .isInstanceOf(AccessDeniedException.class);
    }

    @Test
    void aDirectoryThatIsRefusedIsPassedOverOnWindows() throws IOException {
        files.refuse(1, DENIED);

        disk(SystemRules.WINDOWS).forceDirectory(files.path(directory));
    }

    @ParameterizedTest
    @EnumSource(SystemRules.class)
    void aDirectoryThatIsGoneOrFailsIsAnErrorEverywhere(SystemRules rules) {
        assertThatThrownBy(() -> disk(rules).forceDirectory(directory.resolve("gone")))
                .isInstanceOf(NoSuchFileException.class);
        files.refuse(1, file -> new IOException("Input/output error"));
        assertThatThrownBy(() -> disk(rules).forceDirectory(files.path(directory)))
                .hasMessage("Input/output error");
    }

    @Test
    void aFileThatAScannerHasOpenIsAskedForAgainOnWindows() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "state");
        files.refuse(3, SHARED);

        try (DiskFile opened = disk(SystemRules.WINDOWS).open(files.path(file), OpenMode.READ_WRITE)) {
            assertThat(opened.size()).isEqualTo(5);
        }
        files.refuse(3, DENIED);
        disk(SystemRules.WINDOWS).rename(files.path(file), files.path(directory.resolve("renamed")));
        files.refuse(3, DENIED);
        disk(SystemRules.WINDOWS).delete(files.path(directory.resolve("renamed")));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aRenamedFileThatCannotBeLookedAtIsNotTakenForForcedOnWindows() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "state");
        files.failAtAttributes();

        assertThatThrownBy(() ->
                        disk(SystemRules.WINDOWS).rename(files.path(file), files.path(directory.resolve("renamed"))))
                .hasMessageContaining("Input/output error");
    }

    @Test
    void theForceOfAFileThatIsReadIsAskedForAgainOnWindows() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "state");
        try (DiskFile opened = disk(SystemRules.WINDOWS).open(files.path(file), OpenMode.READ)) {
            files.refuse(3, SHARED);
            opened.force();
        }
    }

    @ParameterizedTest
    @EnumSource(value = SystemRules.class, names = "WINDOWS", mode = EnumSource.Mode.EXCLUDE)
    void aRefusalIsNotRepeatedElsewhere(SystemRules rules) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "state");
        files.refuse(1, SHARED);

        assertThatThrownBy(() -> disk(rules).open(files.path(file), OpenMode.READ))
                .isInstanceOf(FileSystemException.class);
    }

    @Test
    void aRefusalThatDoesNotEndSaysWhoMayHaveTheFile() {
        FileSystemException refused = (FileSystemException) SHARED.apply("C:\\tx\\a");
        List<String> runs = new ArrayList<>();

        assertThatThrownBy(() -> SystemRules.patiently(
                        () -> {
                            runs.add("run");
                            throw refused;
                        },
                        () -> true,
                        Duration.ofMillis(20)))
                .isInstanceOf(FileSystemException.class)
                .hasMessage("C:\\tx\\a: Der Prozess kann nicht auf die Datei zugreifen (another program may have it"
                        + " open: asked again for 20 ms)")
                .hasCause(refused)
                .extracting(DiskRemedy::of)
                .isEqualTo("close the program that has the file open, and except the directory from virus scanners,"
                        + " indexers and backups");
        assertThat(runs).hasSizeGreaterThan(2);
    }

    @Test
    void aRefusedAccessIsOneAfterwardsToo() {
        assertThatThrownBy(() -> SystemRules.patiently(
                        () -> {
                            throw new AccessDeniedException("a");
                        },
                        () -> true,
                        Duration.ofMillis(1)))
                .isInstanceOfSatisfying(AccessDeniedException.class, denied -> assertThat(DeniedAccess.describe(denied))
                        .contains("may not use file=")
                        .contains("another program may have it open"));
    }

    @Test
    void whatCannotEndIsNotRepeated() {
        List<FileSystemException> errors = List.of(
                new NoSuchFileException("a"),
                new FileAlreadyExistsException("a"),
                new DirectoryNotEmptyException("a"),
                new FileSystemException("a", null, "There is not enough space on the disk"));
        for (FileSystemException error : errors) {
            List<String> runs = new ArrayList<>();
            assertThatThrownBy(() -> SystemRules.patiently(
                            () -> {
                                runs.add("run");
                                throw error;
                            },
                            () -> true,
                            Duration.ofSeconds(30)))
                    .isSameAs(error);
            assertThat(runs).as(error.toString()).hasSize(1);
        }
    }

    @Test
    void aDirectoryIsNotAskedForAgain() {
        files.refuse(Integer.MAX_VALUE, DENIED);

        assertThatThrownBy(() -> disk(SystemRules.WINDOWS).open(files.path(directory), OpenMode.READ))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageNotContaining(DiskRemedy.ASKED_AGAIN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "con",
                "NUL",
                "Aux",
                "prn",
                "com1",
                "LPT9",
                "nul.state",
                "COM0",
                "com\u00b9",
                "LPT\u00b3",
                "conin$",
                "CONOUT$"
            })
    void aNameOfADeviceIsRefusedOnWindowsAlone(String name) throws IOException {
        assumeTrue(
                Charset.forName(System.getProperty("sun.jnu.encoding"))
                        .newEncoder()
                        .canEncode(name),
                "skipped: the system's encoding of file names has no such letters");
        Path path = directory.resolve(name);

        assertThatThrownBy(() -> disk(SystemRules.WINDOWS).createDirectory(path))
                .hasMessageContaining("Windows keeps the name " + name + " for a device");
        assertThatThrownBy(() -> disk(SystemRules.WINDOWS).open(path, OpenMode.CREATE_NEW))
                .hasMessageContaining("Windows keeps the name");
        disk(SystemRules.UNIX).createDirectory(path);
        assertThatThrownBy(() -> disk(SystemRules.WINDOWS).rename(path, directory.resolve("nul")))
                .hasMessageContaining("Windows keeps the name nul");
    }

    @Test
    void aDeviceIsRefusedByItsNameBeforeWindowsIsAsked() throws IOException {
        files.failAtAttributes();

        assertThatThrownBy(() -> disk(SystemRules.WINDOWS).kindOf(files.path(directory.resolve("aux"))))
                .hasMessageContaining("Windows keeps the name aux for a device; use another name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"conn", "console", "com", "com10", "lpt", "nul_", "conin", "0a1b.state", "tallystick.lock"})
    void otherNamesAreNot(String name) throws IOException {
        disk(SystemRules.WINDOWS).createDirectory(directory.resolve(name));
        assertThat(directory.resolve(name)).isDirectory();
    }

    @Test
    void aJunctionIsALink() throws IOException {
        Path junction = Files.createDirectory(directory.resolve("junction"));
        files.showAsJunction(junction);

        assertThat(disk(SystemRules.WINDOWS).kindOf(files.path(junction))).isEqualTo(Disk.PathKind.LINK);
        assertThat(disk(SystemRules.WINDOWS).kindOf(files.path(directory))).isEqualTo(Disk.PathKind.DIRECTORY);
        assertThatThrownBy(() -> StoreDirectory.take(disk(SystemRules.WINDOWS), files.path(junction), "test-v1", false))
                .isInstanceOf(StoreDirectoryException.class)
                .hasMessageContaining("is a symbolic link or a junction; configure the path that it points to");
        assertThat(junction).isEmptyDirectory();
    }

    @Test
    void theRootOfAUncPathIsAnotherMachineOnWindows() {
        assertThat(SystemRules.WINDOWS.typeOf("NTFS", Path.of("\\\\server\\share\\")))
                .satisfies(type -> assertThat(FileSystemConcern.about(type)).contains(FileSystemConcern.REMOTE));
        assertThat(SystemRules.WINDOWS.typeOf("NTFS", Path.of("C:\\"))).isEqualTo("NTFS");
        assertThat(SystemRules.UNIX.typeOf("ext4", Path.of("/"))).isEqualTo("ext4");
    }

    @ParameterizedTest
    @EnumSource(value = SystemRules.class, names = "UNIX", mode = EnumSource.Mode.EXCLUDE)
    void filesAreOpenedPastThePageCacheWhereThatMakesThemDurable(SystemRules rules) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "state");

        assertThat(SystemRules.UNIX.againstDirect()).isEmpty();
        assertThatThrownBy(() -> disk(rules).open(file, OpenMode.DIRECT_SYNC))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aFileThatWasOpenedToReadIsForcedOnWindowsToo() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "state");

        try (DiskFile read = disk(SystemRules.WINDOWS).open(file, OpenMode.READ)) {
            read.force();
            Files.delete(file);
            // By its name: FlushFileBuffers wants the right to write, and the JDK says nothing where that is missing.
            assertThatThrownBy(read::force).isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void aFileThatGotAnotherNameIsForcedOnWindows() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "state");
        Path target = directory.resolve("target");

        disk(SystemRules.WINDOWS).rename(file, target);
        disk(SystemRules.WINDOWS).renameToNew(target, file);

        assertThat(SystemRules.WINDOWS.isForcedAfterRename()).isTrue();
        assertThat(SystemRules.UNIX.isForcedAfterRename()).isFalse();
        assertThat(file).hasContent("state");
    }

    @Test
    void whatWindowsIsNotAskedForStandsInTheLineOfAnOpening() {
        assertThat(SystemPromise.remark(SystemRules.WINDOWS)).contains("not promised across a power cut");
        assertThat(SystemPromise.remark(SystemRules.UNIX)).isEmpty();
        assertThat(SystemPromise.joined("71 us a write", "on Windows")).isEqualTo("71 us a write; on Windows");
        assertThat(SystemPromise.joined("", "on Windows")).isEqualTo("on Windows");
        assertThat(SystemPromise.joined("71 us a write", "")).isEqualTo("71 us a write");
    }

    @Test
    void aRenameWhoseForceFailsIsAnErrorOnWindows() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "state");
        FailingFileSystem failing = new FailingFileSystem();
        failing.failAtOpening();

        assertThatThrownBy(() ->
                        disk(SystemRules.WINDOWS).rename(failing.path(file), failing.path(directory.resolve("target"))))
                .hasMessageEndingWith(": planted");
    }

    @Test
    void aStoreDirectoryIsTakenAndGivenUpByTheRulesOfWindows() throws IOException {
        SystemDisk disk = disk(SystemRules.WINDOWS);
        Path path = directory.resolve("store");

        try (StoreDirectory taken = StoreDirectory.take(disk, path, "test-v1", false)) {
            taken.bind();
            assertThat(taken.isNew()).isTrue();
            assertThatThrownBy(() -> StoreDirectory.take(disk, path, "test-v1", false))
                    .isInstanceOf(StoreDirectoryException.class);
        }
        try (StoreDirectory again = StoreDirectory.take(disk, path, "test-v1", true)) {
            assertThat(again.isNew()).isFalse();
        }
    }

    @Test
    void anInterruptDisturbsNoOperationOnTheSharedThreads() throws IOException {
        SystemDisk disk = disk(SystemRules.WINDOWS);
        Path path = directory.resolve("file");

        Thread.currentThread().interrupt();
        try (DiskFile file = disk.open(path, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.wrap("state".getBytes(UTF_8)), 0);
            file.force();
            assertThat(file.size()).isEqualTo(5);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(path).hasContent("state");
    }
}
