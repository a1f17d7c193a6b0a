package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A variable that is not set never stands for the working directory. */
class EmptyArgumentsTest {
    @TempDir
    Path root;

    @Test
    void anEmptyPathIsRefusedByItsNameAndIsNotTheWorkingDirectory() {
        Path store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        for (Object[] command : new Object[][] {
            {"DIRECTORY", "list", ""},
            {"DIRECTORY", "compact", ""},
            {"DIRECTORY", "doctor", ""},
            {"DIRECTORY", "quarantine", "list", ""},
            {"DIRECTORY", "bench", ""},
            {"FROM", "migrate", "", store},
            {"TO", "migrate", store, ""},
            {"BACKUP", "backup", store, ""},
            {"BACKUP", "restore", "", root.resolve("new")},
            {"KEY", "show", store, ""},
            {"--to", "export", "--to", "", store},
            {"--to", "export", "--to=", store},
            {"--properties", "doctor", "--properties", "", store},
            {"--narayana", "doctor", "--narayana=", store},
            {"--password-file", "list", "--password-file", "", "--url", "jdbc:postgresql://h/d"},
            {"--driver-path", "migrate", "--driver-path", "", store, root.resolve("new")}
        }) {
            Object[] words = new Object[command.length - 1];
            System.arraycopy(command, 1, words, 0, words.length);
            assertThat(ToolRun.of(words).endsWith(ExitStatus.USAGE).err())
                    .as(List.of(command).toString())
                    .contains("tallystick: " + command[0] + " is empty text", "nothing was done", "variable");
        }
        assertThat(root.resolve("new")).doesNotExist();
    }

    /** So that a new option or parameter cannot be forgotten. */
    @Test
    void everyPathOfEveryCommandIsLookedAt() {
        List<String> forgotten = new ArrayList<>();
        List<CommandSpec> specs = new ArrayList<>(List.of(Main.commandLine().getCommandSpec()));
        int paths = 0;
        while (!specs.isEmpty()) {
            CommandSpec spec = specs.remove(0);
            spec.subcommands().values().stream()
                    .map(CommandLine::getCommandSpec)
                    .forEach(specs::add);
            for (OptionSpec option : spec.options()) {
                boolean isPath = isPath(option);
                paths += isPath ? 1 : 0;
                if (isPath && !EmptyArguments.mustNotBeEmpty(option)) {
                    forgotten.add(spec.qualifiedName() + " " + option.longestName());
                }
            }
        }
        assertThat(forgotten).isEmpty();
        assertThat(paths).isGreaterThan(10);
    }

    private static boolean isPath(ArgSpec option) {
        return option.typeInfo().getClassName().equals(Path.class.getName())
                || option.typeInfo().getActualGenericTypeArguments().contains(Path.class.getName());
    }
}
