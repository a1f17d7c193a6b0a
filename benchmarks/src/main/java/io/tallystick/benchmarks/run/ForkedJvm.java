package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.subject.Subject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the JVMs in which stores run. Their command lines differ in the store only. */
public final class ForkedJvm {
    private static final String LOGGING_FILE = "logging.properties";
    /** From this version on a JVM warns of native code that no option allows. */
    private static final int NATIVE_ACCESS_SINCE = 22;
    /** From this version on a JVM can be told not to warn of Netty's use of Unsafe. */
    private static final int UNSAFE_ACCESS_SINCE = 23;

    private ForkedJvm() {}

    /**
     * Writes the logging configuration of the JVMs: they log warnings to the error stream, which goes to the log file
     * of the run.
     */
    public static void prepare(Path directory) throws IOException {
        Files.writeString(directory.resolve(LOGGING_FILE), """
                handlers=java.util.logging.ConsoleHandler
                .level=WARNING
                java.util.logging.SimpleFormatter.format=%4$s %5$s%6$s%n
                """);
    }

    /** The command of a JVM with our class path, up to its main class. */
    static List<String> command(Path prepared) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(common(prepared));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        return command;
    }

    /** The same with these arguments, and with its main class. */
    static List<String> command(Path prepared, List<String> arguments, Class<?> main) {
        List<String> command = command(prepared);
        command.addAll(1, arguments);
        command.add(main.getName());
        return command;
    }

    /**
     * Runs a JVM of this version to its end.
     *
     * @param arguments of {@code java}, with the main class and its arguments
     * @param errors receives its error stream
     * @return what it has printed
     * @throws IOException it could not be started, or ended with another status than 0
     */
    public static String output(List<String> arguments, Path errors) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("a JVM ended with exit=" + process.exitValue() + ": " + String.join(" ", command)
                    + System.lineSeparator() + Files.readString(errors));
        }
        return output;
    }

    /** Arguments of a JVM that measures {@code subject} in {@code directory}. */
    public static List<String> arguments(Subject subject, Path directory, Path prepared) {
        List<String> arguments = new ArrayList<>(common(prepared));
        arguments.add("-Xms1g");
        arguments.add("-Xmx1g");
        arguments.addAll(transactionManager(directory));
        // Last, so that the settings of a subject win.
        arguments.addAll(subject.jvmArguments(directory, prepared));
        return arguments;
    }

    /**
     * Gives this JVM the system properties of a JVM that measures {@code subject}. The caller does so before any class
     * reads them.
     */
    public static void imitate(Subject subject, Path directory, Path prepared) throws IOException {
        prepare(prepared);
        arguments(subject, directory, prepared).stream()
                .filter(argument -> argument.startsWith("-D"))
                .map(argument -> argument.substring(2).split("=", 2))
                .forEach(setting -> System.setProperty(setting[0], setting[1]));
    }

    private static List<String> common(Path prepared) {
        List<String> arguments = new ArrayList<>();
        arguments.add("-Djava.util.logging.config.file=" + prepared.resolve(LOGGING_FILE));
        // If a peer leaves a thread behind, JMH waits for seconds, and not for half a minute.
        arguments.add("-Djmh.shutdownTimeout=2");
        arguments.add("-Djmh.shutdownTimeout.step=1");
        int version = Runtime.version().feature();
        if (version >= NATIVE_ACCESS_SINCE) {
            arguments.add("--enable-native-access=ALL-UNNAMED");
        }
        if (version >= UNSAFE_ACCESS_SINCE) {
            arguments.add("--sun-misc-unsafe-memory-access=allow");
        }
        return arguments;
    }

    private static List<String> transactionManager(Path directory) {
        Path others = directory.resolve("other-roles");
        return List.of(
                // 0: no time limit, so stores alone are compared, unless the subject is a reaper.
                "-D" + Subject.DEFAULT_TIMEOUT + "=0",
                "-DCoordinatorEnvironmentBean.transactionStatusManagerEnable=false",
                "-DCoreEnvironmentBean.nodeIdentifier=bench",
                "-DObjectStoreEnvironmentBean.objectStoreDir=" + directory,
                "-DObjectStoreEnvironmentBean.stateStore.objectStoreDir=" + others,
                "-DObjectStoreEnvironmentBean.communicationStore.objectStoreDir=" + others);
    }
}
