package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link StoreProcess} in a JVM like this one. */
final class ChildJvm implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedReader output;

    /** @param before what stands before the command, such as strace and its options */
    ChildJvm(List<String> before, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), StoreProcess.class.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The next line of its output; null when it has ended. */
    String line() throws IOException {
        return output.readLine();
    }

    /** Kills it, and returns what it had said until then and was not read yet. */
    List<String> kill() throws IOException, InterruptedException {
        process.toHandle().destroyForcibly(); // unlike the process itself it leaves the output open
        List<String> rest = lines();
        process.waitFor();
        return rest;
    }

    /** What it says until it ends; fails if that takes too long. */
    List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = line(); line != null; line = line()) {
            lines.add(line);
        }
        return lines;
    }

    /** Fails if it does not end in good time. */
    void awaitEnd() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("it ends")
                .isTrue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
