package io.tallystick.tool;

import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolCommand;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** Prints the completion script for bash and zsh. */
@Command(
        name = "completion",
        description = {"Print the completion script for bash and zsh.", ""},
        footer = {"", "To use it in this shell: source <(tallystick completion)"})
final class CompletionCommand extends ToolCommand {
    @Override
    protected ExitStatus run() {
        output().out().print(AutoComplete.bash(ToolCommand.NAME, spec().root().commandLine()));
        output().out().flush();
        return ExitStatus.OK;
    }
}
