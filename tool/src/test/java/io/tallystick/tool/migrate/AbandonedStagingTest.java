package io.tallystick.tool.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A migration that is refused leaves nothing behind. */
class AbandonedStagingTest {
    @TempDir
    Path root;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theDirectoriesThatItMadeAreGone(boolean isWindows) throws IOException {
        Disk disk = isWindows ? new OpenFilesKeepTheirNames(new SystemDisk()) : new SystemDisk();
        try (Staging staging = Staging.at(disk, root.resolve("outer/new"))) {
            staging.take();
            staging.abandon();
        }

        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aDirectoryThatWasThereStays() throws IOException {
        Disk disk = new OpenFilesKeepTheirNames(new SystemDisk());
        try (Staging staging = Staging.at(disk, root)) {
            staging.take();
            staging.abandon();
        }

        assertThat(root).isEmptyDirectory();
    }

    /** As on Windows: a deleted file that is open has its name until it is closed. */
    private static final class OpenFilesKeepTheirNames extends ForwardingDisk {
        private final Set<Path> open = new HashSet<>();
        private final Set<Path> deleted = new HashSet<>();

        OpenFilesKeepTheirNames(Disk disk) {
            super(disk);
        }

        @Override
        public Optional<DiskLock> tryLock(Path file) throws IOException {
            Optional<DiskLock> lock = disk.tryLock(file);
            lock.ifPresent(unused -> open.add(file));
            return lock.map(held -> () -> {
                held.close();
                open.remove(file);
                if (deleted.remove(file)) {
                    disk.delete(file);
                }
            });
        }

        @Override
        public void delete(Path path) throws IOException {
            if (open.contains(path)) {
                deleted.add(path);
            } else {
                disk.delete(path);
            }
        }
    }
}
