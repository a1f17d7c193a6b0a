package io.tallystick.durability.subject;

import io.tallystick.durability.system.LogLevels;
import io.tallystick.testkit.process.StoreProcess;
import io.tallystick.testkit.process.StoreServer;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A subject in a process of its own: the main class {@code SubjectProcess NAME DIRECTORY}, and the methods that start
 * it.
 */
public final class SubjectProcess {
    /** A call that takes longer counts as a hang, seconds. */
    public static final int PATIENCE_SECONDS = 60;

    private SubjectProcess() {}

    public static void main(String[] arguments) throws IOException {
        LogLevels.silence();
        Subject subject = SubjectCatalog.named(List.of(arguments[0])).get(0);
        Path directory = Path.of(arguments[1]);
        StoreServer.serve(() -> subject.open(directory));
        // The threads of a store that hangs must not keep the process.
        Runtime.getRuntime().halt(0);
    }

    /** Starts the subject in that directory and waits until it is open. */
    public static StoreProcess start(Subject subject, Path directory) throws IOException {
        return start(List.of(), subject, directory, PATIENCE_SECONDS);
    }

    /** Starts a subject by this command and waits until it is open. */
    public static StoreProcess start(ProcessBuilder command) throws IOException {
        return StoreProcess.of(command.start(), PATIENCE_SECONDS);
    }

    /**
     * Starts the subject.
     *
     * @param before a prefix of the command, such as {@code strace} and its options
     * @param patienceSeconds a call that takes longer counts as a hang, seconds
     */
    public static StoreProcess start(List<String> before, Subject subject, Path directory, int patienceSeconds)
            throws IOException {
        ProcessBuilder builder = command(subject, directory);
        builder.command().addAll(0, before);
        return StoreProcess.of(builder.start(), patienceSeconds);
    }

    /** The command that starts the subject in that directory. */
    public static ProcessBuilder command(Subject subject, Path directory) {
        return command(SubjectProcess.class, Map.of(), List.of(subject.name(), directory.toString()));
    }

    /**
     * The command that starts a main class of this module in a small, quick process whose error stream is discarded.
     */
    public static ProcessBuilder command(Class<?> main, Map<String, String> properties, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-Xmx128m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.add("-Dslf4j.internal.verbosity=ERROR");
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectError(Redirect.DISCARD);
    }

    /** Puts a directory of classes, such as those with a planted bug, before the class path of such a command. */
    public static void putFirst(Path classes, ProcessBuilder command) {
        List<String> words = command.command();
        int classPath = words.indexOf("-cp") + 1;
        words.set(classPath, classes + File.pathSeparator + words.get(classPath));
    }
}
