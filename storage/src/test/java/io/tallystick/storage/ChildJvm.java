package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A main class of the tests in a JVM of its own. It has the class path of this JVM and only the system properties that
 * the test gives. A test runs it to its end with {@link #endsWith} or {@link #lines}, or talks to it after
 * {@link #start}.
 */
public final class ChildJvm {
    private static final long PATIENCE_SECONDS = 120;

    private final String main;
    private final List<String> before = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final Map<String, String> variables = new HashMap<>();
    private List<String> classPath =
            List.of(System.getProperty("java.class.path").split(File.pathSeparator));
    private Path workingDirectory;
    private Path outputDirectory;
    private boolean errorsApart;

    private ChildJvm(Class<?> main) {
        this.main = main.getName();
        if (Runtime.version().feature() >= 22) {
            options.add("--enable-native-access=ALL-UNNAMED");
        }
    }

    public static ChildJvm of(Class<?> main) {
        return new ChildJvm(main);
    }

    /** The child works in this directory; the files with its output are there too. */
    public ChildJvm in(Path directory) {
        workingDirectory = directory;
        return withOutputIn(directory);
    }

    /** The files with the output of the child are in this directory; the child works in that of this process. */
    public ChildJvm withOutputIn(Path directory) {
        outputDirectory = directory;
        return this;
    }

    /** The child starts under this command, such as strace and its options. */
    public ChildJvm under(String... command) {
        before.addAll(Arrays.asList(command));
        return this;
    }

    /** @param octal the umask of the child in octal digits */
    public ChildJvm withUmask(String octal) {
        return under("/bin/sh", "-c", "umask " + octal + "; exec \"$@\"", "sh");
    }

    public ChildJvm with(String... jvmOptions) {
        options.addAll(Arrays.asList(jvmOptions));
        return this;
    }

    /** Takes away the right to call native code; only JDK 24 and later can. */
    public ChildJvm denyingNativeAccess() {
        options.removeIf(option -> option.startsWith("--enable-native-access="));
        return with("--illegal-native-access=deny");
    }

    public ChildJvm withProperties(Map<String, String> properties) {
        properties.forEach((key, value) -> with("-D" + key + "=" + value));
        return this;
    }

    /** The child has these environment variables beside those of this process. */
    public ChildJvm withVariables(Map<String, String> added) {
        variables.putAll(added);
        return this;
    }

    public ChildJvm withClassPath(String elements) {
        classPath = List.of(elements.split(File.pathSeparator));
        return this;
    }

    /** The child looks for classes in this element first. */
    public ChildJvm withFirst(Path classPathElement) {
        List<String> longer = new ArrayList<>(List.of(classPathElement.toString()));
        longer.addAll(classPath);
        classPath = longer;
        return this;
    }

    /** Takes the elements away whose names contain this part. */
    public ChildJvm without(String classPathElementPart) {
        classPath = classPath.stream()
                .filter(element -> !element.contains(classPathElementPart))
                .toList();
        return this;
    }

    /** Keeps standard error out of the lines; {@link #endsWith} shows it when it fails. */
    public ChildJvm withErrorsApart() {
        errorsApart = true;
        return this;
    }

    /** Starts the child and leaves it running. */
    public Running start(String... arguments) throws IOException {
        ProcessBuilder builder = builder(arguments);
        if (errorsApart) {
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        }
        return new Running(builder.start());
    }

    /** The lines that the child printed; fails if it does not end in good time with status 0. */
    public List<String> lines(String... arguments) {
        return endsWith(0, arguments).lines().toList();
    }

    /** The text that the child printed; fails if it does not end in good time with this status. */
    public String endsWith(int exitStatus, String... arguments) {
        Objects.requireNonNull(outputDirectory, "a directory for the output");
        try {
            return run(exitStatus, arguments);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    private String run(int exitStatus, String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile(outputDirectory, "output", ".txt");
        Path errors = output.resolveSibling(output.getFileName() + ".errors");
        ProcessBuilder builder = builder(arguments).redirectOutput(output.toFile());
        if (errorsApart) {
            builder.redirectError(errors.toFile());
        }
        Process process = builder.start();
        boolean ended;
        try {
            ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } finally {
            end(process);
        }
        String printed = Files.readString(output);
        String all = errorsApart ? printed + "\n" + Files.readString(errors) : printed;
        assertThat(ended).as("the child ends in time, after\n%s", all).isTrue();
        assertThat(process.exitValue()).as(() -> all).isEqualTo(exitStatus);
        return printed;
    }

    private ProcessBuilder builder(String... arguments) {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Short lives: start quickly, compile little.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-XX:-UsePerfData"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath.stream().collect(Collectors.joining(File.pathSeparator)), main));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(!errorsApart);
        if (workingDirectory != null) {
            builder.directory(workingDirectory.toFile());
        }
        builder.environment().putAll(variables);
        return builder;
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly()
                .onExit()
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /** A child whose lines the test reads while it runs. Closing kills it. */
    public static final class Running implements AutoCloseable {
        private final Process process;
        private final BufferedReader output;

        private Running(Process process) {
            this.process = process;
            this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        public long pid() {
            return process.pid();
        }

        /** The next line that it prints; null at the end. */
        public String line() throws IOException {
            return output.readLine();
        }

        /** Gives it a line of input. */
        public void tell(String line) throws IOException {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }

        /** The lines that nobody has read yet, until it ends. */
        public List<String> lines() throws IOException {
            List<String> lines = new ArrayList<>();
            for (String line = line(); line != null; line = line()) {
                lines.add(line);
            }
            return lines;
        }

        /** Kills it as {@code kill -9} does and waits for its end; returns the lines that nobody has read yet. */
        public List<String> kill() throws IOException {
            process.toHandle().destroyForcibly(); // unlike the process itself it leaves the output open
            List<String> rest = lines();
            end(process);
            return rest;
        }

        /** Fails if it does not end in good time. */
        public void awaitEnd() throws InterruptedException {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("it ends")
                    .isTrue();
        }

        @Override
        public void close() {
            end(process);
        }
    }
}
