package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(
        value = {OS.LINUX, OS.MAC},
        disabledReason = "skipped: files have no modes there")
class DeniedAccessTest {
    private static final String USER = System.getProperty("user.name");

    @TempDir
    Path root;

    @Test
    void theFileItsOwnerItsModeAndTheOwnUserAreNamed() throws IOException {
        Path file = Files.createFile(root.resolve("file"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));

        assertThat(DeniedAccess.textOf(new AccessDeniedException(file.toString())))
                .isEqualTo("user=" + USER + " may not use file=" + file + ", which has owner=" + Files.getOwner(file)
                        + " group=" + Files.getAttribute(file, "posix:group") + " mode=r--r-----");
    }

    @Test
    void whereTheFileCannotBeLookedAtTheNearestDirectoryIsDescribed() {
        Path file = root.resolve("no/such/file");

        assertThat(DeniedAccess.textOf(new AccessDeniedException(file.toString())))
                .startsWith("user=" + USER + " may not use file=" + file + "; directory=" + root + " has owner=");
    }

    @Test
    void anotherFailureHasItsOwnWords() {
        assertThat(DeniedAccess.textOf(new IOException("broken"))).isEqualTo("java.io.IOException: broken");
        assertThat(DeniedAccess.textOf(new AccessDeniedException(null))).isEqualTo("access is denied to user=" + USER);
    }

    @Test
    void aDirectoryWhoseLockFileIsDeniedSaysWhoseItIs() throws IOException {
        Path lock = Files.createFile(root.resolve(StoreDirectory.LOCK_FILE));
        Disk disk = new ForwardingDisk(new SystemDisk()) {
            @Override
            public Optional<DiskLock> tryLock(Path file) throws IOException {
                throw new AccessDeniedException(file.toString());
            }
        };

        assertThatThrownBy(() -> StoreDirectory.take(disk, root, "test-v1", false))
                .isInstanceOf(StoreDirectoryException.class)
                .hasMessageContaining("user=" + USER + " may not use file=" + lock.toRealPath() + ", which has owner=");
    }
}
