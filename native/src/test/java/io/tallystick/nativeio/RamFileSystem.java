package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A mounted ramfs, the one ordinary file system that has no O_DIRECT at all; needs root. */
final class RamFileSystem {
    private RamFileSystem() {}

    static Path mount() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("ramfs");
        boolean mounted = Commands.succeed("mount", "-t", "ramfs", "none", directory.toString());
        if (!mounted) {
            Files.delete(directory);
        }
        assumeTrue(mounted, "skipped: a ramfs cannot be mounted here, it needs root");
        return directory;
    }

    static void unmount(Path directory) throws IOException, InterruptedException {
        assertThat(Commands.succeed("umount", directory.toString())).isTrue();
        Files.delete(directory);
    }
}
