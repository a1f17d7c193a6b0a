package io.tallystick.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoryTest {
    @TempDir
    private Path parent;

    @Test
    void nothingIsLeftAfterDelete() throws IOException {
        RunDirectory run = RunDirectory.create(parent.resolve("stores"));
        Files.writeString(run.newStore("file").resolve("record"), "x");

        run.delete();

        assertThat(parent.resolve("stores")).isEmptyDirectory();
        run.delete(); // a second time does no harm
    }

    @Test
    void everyStoreGetsAnEmptyDirectoryOfItsOwn() throws IOException {
        RunDirectory run = RunDirectory.create(parent);

        assertThat(run.newStore("file")).isNotEqualTo(run.newStore("file")).isEmptyDirectory();
    }

    @Test
    void leftoversOfDeadRunsGoAndEverythingElseStays() throws IOException, InterruptedException {
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path abandoned = Files.createDirectories(parent.resolve("tallystick-bench-" + dead.pid() + "/1-file"));
        long living = ProcessHandle.current().parent().orElseThrow().pid();
        Path inUse = Files.createDirectory(parent.resolve("tallystick-bench-" + living));
        Path foreign = Files.createDirectory(parent.resolve("tallystick-bench-notes"));

        RunDirectory.create(parent);

        assertThat(abandoned.getParent()).doesNotExist();
        assertThat(inUse).exists();
        assertThat(foreign).exists();
    }

    @Test
    void linksAreDeletedButNotWhatTheyPointTo() throws IOException {
        Path precious = Files.writeString(parent.resolve("precious"), "x");
        Path tree = Files.createDirectory(parent.resolve("tree"));
        Files.createSymbolicLink(tree.resolve("link"), precious);

        RunDirectory.deleteTree(tree);

        assertThat(tree).doesNotExist();
        assertThat(precious).exists();
    }
}
