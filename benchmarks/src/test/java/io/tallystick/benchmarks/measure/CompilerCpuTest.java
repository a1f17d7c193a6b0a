package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilerCpuTest {
    @TempDir
    private Path tasks;

    @Test
    void onlyTheThreadsOfTheCompilersCount() throws IOException {
        thread("1", "java", "900 1 1");
        thread("2", "C2 CompilerThre", "30 7 5");
        thread("3", "C1 CompilerThre", "4 7 5");
        Files.createDirectory(tasks.resolve("4")); // has ended

        assertThat(CompilerCpu.nanosOf(tasks)).isEqualTo(34);
    }

    @Test
    void thisJvmHasCompiled() {
        assertThat(CompilerCpu.nanosNow()).isPositive();
    }

    private void thread(String id, String name, String statistics) throws IOException {
        Path thread = Files.createDirectory(tasks.resolve(id));
        Files.writeString(thread.resolve("comm"), name + "\n");
        Files.writeString(thread.resolve("schedstat"), statistics + "\n");
    }
}
