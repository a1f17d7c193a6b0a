package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A {@link WriterProcess} in a JVM like this one, with what stands before the command and what is missing. */
final class ChildJvm {
    private static final long PATIENCE_SECONDS = 60;

    private final Path directory;
    private final List<String> before = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private String first = "";
    private Predicate<String> onClassPath = element -> true;

    /** @param directory where its output is kept */
    ChildJvm(Path directory) {
        this.directory = directory;
        if (Runtime.version().feature() >= 22) {
            options.add("--enable-native-access=ALL-UNNAMED");
        }
    }

    /** Hides what only JDK 22 and later have. */
    ChildJvm asBefore22() {
        return without("META-INF/versions/22");
    }

    ChildJvm under(String... command) {
        before.addAll(Arrays.asList(command));
        return this;
    }

    /** Takes away the right to call native code; only JDK 24 and later can. */
    ChildJvm denyingNativeAccess() {
        options.clear();
        options.add("--illegal-native-access=deny");
        return this;
    }

    ChildJvm with(String... jvmOptions) {
        options.addAll(Arrays.asList(jvmOptions));
        return this;
    }

    ChildJvm withFirst(Path classPathElement) {
        first = classPathElement + File.pathSeparator;
        return this;
    }

    ChildJvm without(String classPathElementPart) {
        onClassPath = onClassPath.and(element -> !element.contains(classPathElementPart));
        return this;
    }

    /** The lines that it printed; fails if it does not end in good time. */
    List<String> run(String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "output", ".txt");
        Path errors = Files.createTempFile(directory, "errors", ".txt");
        Process process = new ProcessBuilder(command(arguments))
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as(() -> "it hangs after " + lines(output))
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as(() -> lines(output) + "\n" + lines(errors))
                .isZero();
        return lines(output);
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), WriterProcess.class.getName()));
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    private String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(onClassPath)
                .collect(Collectors.joining(File.pathSeparator, first, ""));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException unreadable) {
            return List.of(unreadable.toString());
        }
    }
}
