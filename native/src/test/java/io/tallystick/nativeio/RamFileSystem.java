package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A mounted ramfs, the one ordinary file system that has no O_DIRECT at all; needs root. */
final class RamFileSystem {
    private RamFileSystem() {}

    static Path mount() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("ramfs");
        int exitValue = run("mount", "-t", "ramfs", "none", directory.toString());
        if (exitValue != 0) {
            Files.delete(directory);
        }
        assumeTrue(exitValue == 0, "skipped: a ramfs cannot be mounted here, it needs root");
        return directory;
    }

    static void unmount(Path directory) throws IOException, InterruptedException {
        assertThat(run("umount", directory.toString())).isZero();
        Files.delete(directory);
    }

    private static int run(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(20, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (IOException noSuchCommand) {
            return -1;
        }
    }
}
