package io.tallystick.nativeio;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The contract itself, tried on what pure Java offers. */
class SystemDirectFileTest extends DirectFileContract {
    @Override
    Disk diskFor(Path directory) throws IOException {
        Disk disk = new SystemDisk();
        Path trial = directory.resolve("trial");
        disk.open(trial, OpenMode.CREATE_NEW).close();
        try (DiskFile direct = disk.open(trial, OpenMode.DIRECT_SYNC)) {
            assumeTrue(direct.size() == 0);
        } catch (IOException | UnsupportedOperationException refused) {
            assumeTrue(false, "skipped: no file past the page cache in " + directory + ": " + refused);
        }
        Files.delete(trial);
        return disk;
    }
}
