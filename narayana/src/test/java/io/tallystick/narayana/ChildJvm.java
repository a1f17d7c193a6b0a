package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A main class of the tests in a JVM of its own, with this JVM's class path and only the system properties it is given. */
public final class ChildJvm {
    private static final long PATIENCE_SECONDS = 120;

    private ChildJvm() {}

    /**
     * Runs it to its end and returns what it printed.
     *
     * @param workingDirectory where it runs, and where its output is kept
     * @param exitStatus the status that it must end with
     */
    public static String run(
            Path workingDirectory, int exitStatus, Map<String, String> properties, Class<?> main, String... arguments) {
        return run(workingDirectory, exitStatus, System.getProperty("java.class.path"), properties, main, arguments);
    }

    /** As above, with another class path. */
    public static String run(
            Path workingDirectory,
            int exitStatus,
            String classPath,
            Map<String, String> properties,
            Class<?> main,
            String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Short lives: start quickly, compile little.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx256m",
                "-cp",
                classPath));
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        try {
            return run(workingDirectory, exitStatus, command);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    private static String run(Path workingDirectory, int exitStatus, List<String> command)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(workingDirectory, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(workingDirectory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(
                        "child did not end in " + PATIENCE_SECONDS + " s:\n" + Files.readString(output));
            }
        } finally {
            process.destroyForcibly();
        }
        String printed = Files.readString(output);
        assertThat(process.exitValue()).as(printed).isEqualTo(exitStatus);
        return printed;
    }
}
