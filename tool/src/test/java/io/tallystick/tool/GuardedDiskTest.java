package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.GuardedDisk;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A link that appears while a command is at work stops it before the next operation. */
class GuardedDiskTest {
    @TempDir
    Path root;

    private Path directory;
    private Path foreign;
    private Disk disk;

    @BeforeEach
    void prepare() throws IOException {
        Path real = root.toRealPath();
        directory = Files.createDirectory(real.resolve("tx"));
        foreign = Files.createDirectory(real.resolve("foreign"));
        Files.writeString(foreign.resolve("one"), "1");
        Files.writeString(directory.resolve("two"), "2");
        disk = new GuardedDisk(new SystemDisk(), List.of(directory), GuardedDisk.Rule.NONE);
    }

    @Test
    void nothingIsDoneThroughALinkThatAppearedMeanwhile() throws IOException {
        Path quarantine = directory.resolve("quarantine");
        disk.createDirectory(quarantine);
        disk.createDirectory(quarantine.resolve("entry"));
        disk.rename(directory.resolve("two"), quarantine.resolve("entry/two"));
        Files.move(quarantine, directory.resolve("aside"));
        Files.createSymbolicLink(quarantine, foreign);
        Files.createDirectory(foreign.resolve("entry"));
        Files.writeString(foreign.resolve("entry/three"), "3");

        Path in = quarantine.resolve("entry");
        for (ThrowingCallable operation : List.<ThrowingCallable>of(
                () -> disk.rename(in.resolve("three"), directory.resolve("three")),
                () -> disk.rename(directory.resolve("aside/entry/two"), in.resolve("two")),
                () -> disk.delete(in.resolve("three")),
                () -> disk.createDirectory(in.resolve("four")),
                () -> disk.open(in.resolve("four"), OpenMode.CREATE_NEW),
                () -> disk.open(in.resolve("three"), OpenMode.READ_WRITE),
                () -> disk.tryLock(in.resolve("lock")),
                () -> disk.list(in),
                () -> disk.list(quarantine),
                () -> disk.forceDirectory(quarantine),
                () -> disk.kindOf(in.resolve("three")),
                () -> disk.isLocked(in.resolve("three")),
                () -> disk.size(in.resolve("three")))) {
            assertThatThrownBy(operation)
                    .isInstanceOf(ToolException.class)
                    .hasMessageContaining("file=" + quarantine + " is a symbolic link");
        }
        assertThat(Files.list(foreign.resolve("entry"))).containsExactly(foreign.resolve("entry/three"));
        assertThat(directory.resolve("aside/entry/two")).hasContent("2");
    }

    @Test
    void aDirectoryThatBecomesALinkItselfIsNoWayEither() throws IOException {
        Files.move(directory, directory.resolveSibling("moved"));
        Files.createSymbolicLink(directory, foreign);

        assertThatThrownBy(() -> disk.delete(directory.resolve("one"))).isInstanceOf(ToolException.class);
        assertThat(foreign.resolve("one")).exists();
    }

    @Test
    void aLinkIsDeletedAndNotFollowed() throws IOException {
        Files.createSymbolicLink(directory.resolve("link"), foreign);

        assertThat(disk.kindOf(directory.resolve("link"))).isEqualTo(Disk.PathKind.LINK);
        DirectoryTrees.delete(disk, directory.resolve("link"));

        assertThat(directory.resolve("link")).doesNotExist();
        assertThat(foreign.resolve("one")).exists();
    }

    /** A method that a disk gets later is handed on without a check, until it is guarded or listed here. */
    @Test
    void everyMethodIsGuardedExceptFiveQuestions() {
        Set<String> unguarded =
                Arrays.stream(Disk.class.getMethods()).map(Method::getName).collect(Collectors.toSet());
        for (Method guarded : GuardedDisk.class.getDeclaredMethods()) {
            unguarded.remove(guarded.getName());
        }

        assertThat(unguarded)
                .containsExactlyInAnyOrder("realPath", "usableSpace", "fileSystemType", "placeOf", "directAlignment");
    }

    @Test
    void whatLiesElsewhereIsNotLookedAt() throws IOException {
        Path link = Files.createSymbolicLink(root.resolve("link"), foreign);

        assertThat(disk.list(link)).hasSize(1);
    }
}
