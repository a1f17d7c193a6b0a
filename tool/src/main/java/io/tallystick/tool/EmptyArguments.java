package io.tallystick.tool;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Empty text in the place of a file, a directory or another parameter. Java takes an empty path as the working
 * directory, and a script makes one of a variable that is not set.
 */
final class EmptyArguments {
    private static final Set<String> PATH_LABELS = Set.of("DIRECTORY", "FILE", "JARS");

    private EmptyArguments() {}

    /**
     * Refuses a command line with such an argument; for all commands.
     *
     * @throws ParameterException it has one; nothing was done
     */
    static void check(ParseResult parsed) {
        for (ParseResult at = parsed; at != null; at = at.hasSubcommand() ? at.subcommand() : null) {
            for (ArgSpec argument : at.matchedArgs()) {
                if (mustNotBeEmpty(argument) && argument.originalStringValues().contains("")) {
                    String name = argument.isOption()
                            ? at.commandSpec().optionsMap().entrySet().stream()
                                    .filter(option -> option.getValue().equals(argument))
                                    .map(option -> option.getKey())
                                    .findFirst()
                                    .orElse(argument.paramLabel())
                            : argument.paramLabel();
                    throw new ParameterException(
                            at.commandSpec().commandLine(),
                            name + " is empty text, which names nothing; nothing was done. Is a variable of the"
                                    + " command line not set?");
                }
            }
        }
    }

    /** Whether empty text cannot be a value of it. */
    static boolean mustNotBeEmpty(ArgSpec argument) {
        return argument.isPositional()
                || PATH_LABELS.contains(argument.paramLabel())
                || Arrays.asList(argument.auxiliaryTypes()).contains(Path.class)
                || argument.type().equals(Path.class);
    }
}
