package io.tallystick.durability.surroundings;

import io.tallystick.durability.surroundings.Surroundings.Descriptors;
import io.tallystick.durability.surroundings.Surroundings.Owner;
import io.tallystick.durability.surroundings.Surroundings.Room;
import io.tallystick.durability.surroundings.Surroundings.Time;
import io.tallystick.durability.surroundings.Surroundings.WorkingDirectory;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The command that starts the process of one life. */
final class LifeCommand {
    private static final String IN_SHELL = "umask \"$1\" && ulimit -n \"$2\" && cd \"$3\" && shift 3 && exec \"$@\"";
    // A journal holds two for each segment. A file store is to keep within few, however many states it has.
    private static final int MANY_FOR_A_JOURNAL = 1_024;
    private static final int MANY_FOR_A_FILE_STORE = 400;
    private static final int COUNTED_DESCRIPTORS = 256;
    private static final int KIB = 1_024;

    private final Machine machine;
    private final String classPath;
    private final Path home;
    private int configurations;

    /** @param home a directory that every user reaches; files with options go there */
    LifeCommand(Machine machine, String classPath, Path home) {
        this.machine = machine;
        this.classPath = classPath;
        this.home = home;
    }

    /**
     * The command.
     *
     * @param parent the directory that has the store's own directory; the user of the process may write there
     */
    ProcessBuilder of(LifePlan plan, Path parent, String directoryName) throws IOException {
        Surroundings around = plan.surroundings();
        Path workingDirectory =
                switch (around.workingDirectory()) {
                    case ELSEWHERE -> home;
                    case ROOT -> home.getRoot();
                    case RELATIVE -> parent;
                    case REMOVED -> Files.createTempDirectory(directoryOfAll(), "gone-");
                };
        if (around.workingDirectory() == WorkingDirectory.REMOVED && around.owner() != Owner.SAME) {
            Files.setAttribute(workingDirectory, "unix:mode", 0777);
        }
        Path directory = around.workingDirectory() == WorkingDirectory.RELATIVE
                ? Path.of(directoryName)
                : parent.resolve(directoryName);
        List<String> command = new ArrayList<>(List.of("sh", "-c", IN_SHELL, "sh"));
        command.add(around.umask().label());
        command.add(String.valueOf(descriptors(plan)));
        command.add(workingDirectory.toString());
        addUser(around.owner(), command);
        addTime(around.time(), command);
        addJava(plan, command);
        if (around.workingDirectory() == WorkingDirectory.REMOVED) {
            command.add("-D" + SurroundedProcess.REMOVED_DIRECTORY + "=" + workingDirectory);
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.DISCARD);
        addOptions(plan, directory, builder);
        command.add("-cp");
        command.add(classPath);
        command.add(SurroundedProcess.class.getName());
        around.system().putInto(builder.environment());
        return builder.command(command);
    }

    /** A directory with room, in which every user may remove what is there. */
    private Path directoryOfAll() throws IOException {
        Path all = home.resolve("all");
        if (!Files.exists(all)) {
            Files.createDirectory(all);
            Files.setAttribute(all, "unix:mode", 0777);
        }
        return all;
    }

    private static int descriptors(LifePlan plan) {
        if (plan.surroundings().descriptors() != Descriptors.MANY) {
            return COUNTED_DESCRIPTORS;
        }
        return plan.options().isJournal() ? MANY_FOR_A_JOURNAL : MANY_FOR_A_FILE_STORE;
    }

    private static void addUser(Owner owner, List<String> command) {
        if (owner == Owner.OTHER_USER) {
            command.addAll(Machine.asOtherUser());
        } else if (owner == Owner.GROUP) {
            command.addAll(
                    List.of("setpriv", "--reuid=" + Machine.OTHER_ID, "--regid=" + Machine.GROUP_ID, "--clear-groups"));
        }
    }

    private void addTime(Time time, List<String> command) {
        if (!time.offset().isEmpty()) {
            command.addAll(List.of(
                    "env",
                    "LD_PRELOAD=" + machine.timeLibrary(),
                    "FAKETIME=" + time.offset(),
                    "FAKETIME_DONT_FAKE_MONOTONIC=1",
                    "DONT_FAKE_MONOTONIC=1"));
        }
    }

    private static void addJava(LifePlan plan, List<String> command) {
        Surroundings around = plan.surroundings();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        command.add("-Xmx" + around.heap().label());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(around.directMemory().options());
        command.addAll(around.language().options());
        command.addAll(around.encoding().options());
        if (around.descriptors() != Descriptors.MANY) {
            command.add("-D" + SurroundedProcess.DESCRIPTORS + "="
                    + around.descriptors().left());
        }
        if (around.time() == Time.LEAPS) {
            command.add("-D" + SurroundedProcess.CLOCK_SEED + "=" + plan.seed());
        }
        if (around.room() == Room.REFUSED) {
            command.add("-D" + SurroundedProcess.ROOM_BYTES + "=" + (long) plan.roomKib() * KIB);
        }
        if (plan.isHaltedOpening()) {
            String counted =
                    plan.countsChanges() ? SurroundedProcess.HALT_OPENING_CHANGE_AT : SurroundedProcess.HALT_OPENING_AT;
            command.add("-D" + counted + "=" + plan.haltAt());
        }
        if (plan.isHaltedGrowing()) {
            command.add("-D" + SurroundedProcess.HALT_GROWTH_AT + "=" + plan.haltAt());
        }
    }

    private void addOptions(LifePlan plan, Path directory, ProcessBuilder builder) throws IOException {
        Map<String, String> options = plan.options().properties();
        options.put(StoreOption.DIRECTORY.key(), directory.toString());
        switch (plan.source()) {
            case PROPERTIES -> options.forEach((key, text) -> builder.command().add("-D" + key + "=" + text));
            case ENVIRONMENT ->
                options.forEach((key, text) -> builder.environment()
                        .put(StoreOption.named(key).orElseThrow().environmentName(), text));
            case FILE -> {
                Properties properties = new Properties();
                properties.putAll(options);
                Path file = home.resolve("options-" + configurations++);
                try (Writer writer = Files.newBufferedWriter(file)) {
                    properties.store(writer, null);
                }
                Files.setAttribute(file, "unix:mode", 0644);
                builder.command().add("-D" + StoreConfiguration.CONFIGURATION_FILE_KEY + "=" + file);
            }
        }
    }
}
