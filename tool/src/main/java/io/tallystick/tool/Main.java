package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.DeniedAccess;
import io.tallystick.storage.DiskRemedy;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.text.NearestName;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Output;
import io.tallystick.tool.command.ToolCommand;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.inspect.ListCommand;
import io.tallystick.tool.inspect.ShowCommand;
import io.tallystick.tool.inspect.StatCommand;
import io.tallystick.tool.inspect.VerifyCommand;
import io.tallystick.tool.migrate.MigrateCommand;
import io.tallystick.tool.repair.AcceptCopyCommand;
import io.tallystick.tool.repair.AcceptLossCommand;
import io.tallystick.tool.repair.CompactCommand;
import io.tallystick.tool.repair.QuarantineCommand;
import io.tallystick.tool.repair.RepairCommand;
import io.tallystick.tool.transfer.BackupCommand;
import io.tallystick.tool.transfer.ExportCommand;
import io.tallystick.tool.transfer.ForgetCommand;
import io.tallystick.tool.transfer.ImportCommand;
import io.tallystick.tool.transfer.RestoreCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program {@code tallystick}: the list of its commands, and the messages of its errors. */
@Command(
        name = ToolCommand.NAME,
        description = {"Shows, checks, moves and measures Tallystick stores. docs/tool.md is the manual.", ""},
        versionProvider = Main.Version.class,
        subcommands = {
            ListCommand.class,
            ShowCommand.class,
            StatCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            VerifyCommand.class,
            RepairCommand.class,
            QuarantineCommand.class,
            ForgetCommand.class,
            AcceptCopyCommand.class,
            AcceptLossCommand.class,
            CompactCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            ProbeDiskCommand.class,
            BenchCommand.class,
            DoctorCommand.class,
            MigrateCommand.class,
            PostgresqlCommand.class,
            CompletionCommand.class,
            HelpCommand.class,
        })
public final class Main implements Runnable {
    private static final String DRAIN = "drain";

    // A logger without a reference is collected, and its level with it.
    private static final Logger LIBRARIES = Logger.getLogger("");

    private static final String LOGGING_KEY = "java.util.logging.config.file";

    private static final String NETTY_KEY = "io.netty.noUnsafe";

    private static final Pattern UNKNOWN_TO_HELP = Pattern.compile("Unknown subcommand '(.*)'\\.");

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "print this help and end; 'tallystick COMMAND --help' describes a command")
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "print the version and end")
    private boolean version;

    @Option(
            names = {ForeignClasses.OPTION},
            paramLabel = "JARS",
            description = "jars of stores and engines that are not of this library, separated as on Java's class path;"
                    + " before the command")
    private String classPath;

    Main() {}

    /** Runs the command and ends the process with its {@link ExitStatus}. */
    public static void main(String[] arguments) {
        LIBRARIES.setLevel(Level.WARNING);
        // Netty would use Unsafe otherwise, and later JDKs warn of that; the Artemis journal does not need it.
        if (System.getProperty(NETTY_KEY) == null) {
            System.setProperty(NETTY_KEY, "true");
        }
        if (System.getProperty(LOGGING_KEY) == null) {
            for (Handler handler : LIBRARIES.getHandlers()) {
                handler.setFormatter(new WarningLine());
            }
        }
        PrintWriter err = writer(System.err);
        // System.out would keep its errors to itself.
        int code = run(arguments, new FileOutputStream(FileDescriptor.out), err);
        err.flush();
        System.exit(code);
    }

    /** As below; an answer that could not be written is a failure. */
    static int run(String[] arguments, OutputStream standard, PrintWriter err) {
        StandardOutput taken = new StandardOutput(standard);
        PrintWriter out = writer(taken);
        int code = run(arguments, out, err);
        out.flush();
        return taken.failure().map(failure -> unwritten(failure, code, err)).orElse(code);
    }

    private static int unwritten(IOException failure, int code, PrintWriter err) {
        if (!StandardOutput.isPipeClosed(failure)) {
            err.println(ToolCommand.NAME + ": standard output could not be written (" + failure.getMessage()
                    + "), so the answer is cut off; make room, or give it another place, and run the command again (the"
                    + " command itself ended with status " + code + ")");
        }
        return ExitStatus.FAILED.code();
    }

    /** Runs a command line and returns the status of the process. */
    static int run(String[] arguments, PrintWriter out, PrintWriter err) {
        try {
            return commandLine().setOut(out).setErr(err).execute(arguments);
        } catch (Error failed) { // Java would end with status 1, which means that the answer is no
            err.println(ToolCommand.NAME + ": " + Escaped.message(messageOf(failed)));
            if (List.of(arguments).contains(Output.STACKTRACE)) {
                failed.printStackTrace(err);
            }
            if (List.of(arguments).contains(Output.JSON)) {
                Output.json(out, errorJson(messageOf(failed), ExitStatus.FAILED));
            }
            return ExitStatus.FAILED.code();
        }
    }

    private static String messageOf(Error failed) {
        return failed instanceof OutOfMemoryError
                ? "the memory of this process was not enough (" + failed.getMessage()
                        + "); give Java more, such as TOOL_JAVA_ARGS=-Xmx4g with the launcher, or java -Xmx4g -jar ..."
                : "unexpected: " + failed + "; this is a defect of the tool, --stacktrace prints its place";
    }

    private static JsonObject errorJson(String message, ExitStatus status) {
        return Json.object()
                .add("error", message)
                .add("status", status.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .add("exitCode", status.code());
    }

    static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new Main());
        commandLine.setExpandAtFiles(false);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setParameterExceptionHandler(Main::refuse);
        commandLine.setExecutionStrategy(parsed -> {
            EmptyArguments.check(parsed);
            Main program = (Main) parsed.commandSpec().userObject();
            return ForeignClasses.within(
                    Optional.ofNullable(program.classPath), program.spec.commandLine(), () -> new CommandLine.RunLast()
                            .execute(parsed));
        });
        commandLine.setExecutionExceptionHandler((problem, line, parsed) -> fail(problem, line, parsed));
        commandLine.setExitCodeExceptionMapper(problem -> statusOf(problem).code());
        commandLine.registerConverter(int.class, text -> number(text, Integer::valueOf));
        commandLine.registerConverter(Integer.class, text -> number(text, Integer::valueOf));
        commandLine.registerConverter(long.class, text -> number(text, Long::valueOf));
        commandLine.registerConverter(Long.class, text -> number(text, Long::valueOf));
        sortOptions(commandLine);
        return commandLine;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "no command is given; give one of: "
                        + String.join(", ", spec.subcommands().keySet()));
    }

    private static void sortOptions(CommandLine commandLine) {
        commandLine.getCommandSpec().usageMessage().sortOptions(false);
        commandLine.getCommandSpec().usageMessage().sortSynopsis(false);
        commandLine.getSubcommands().values().forEach(Main::sortOptions);
    }

    private static int refuse(ParameterException problem, String... arguments) {
        CommandLine line = problem.getCommandLine();
        PrintWriter err = line.getErr();
        String message = unknownCommand(problem)
                .map(word -> noCommand(word, line))
                .or(() -> unknownOption(problem).map(word -> noOption(word, line)))
                .or(() -> unknownName(problem))
                .orElse(String.valueOf(problem.getMessage()));
        err.println(ToolCommand.NAME + ": " + Escaped.message(message));
        err.println("try '" + line.getCommandSpec().qualifiedName() + " --help'");
        if (List.of(arguments).contains(Output.JSON)) {
            Output.json(line.getOut(), errorJson(message, ExitStatus.USAGE));
        }
        return ExitStatus.USAGE.code();
    }

    /** The word that stands in the place of a command. */
    private static Optional<String> unknownCommand(ParameterException problem) {
        CommandLine line = problem.getCommandLine();
        Matcher ofHelp = UNKNOWN_TO_HELP.matcher(String.valueOf(problem.getMessage()));
        if (ofHelp.matches()) {
            return Optional.of(ofHelp.group(1));
        }
        boolean isCommandMissing = problem instanceof UnmatchedArgumentException
                && !line.getSubcommands().isEmpty()
                && line.getCommandSpec().positionalParameters().isEmpty();
        return isCommandMissing
                ? ((UnmatchedArgumentException) problem)
                        .getUnmatched().stream().findFirst().filter(word -> !word.startsWith("-"))
                : Optional.empty();
    }

    /** The word that looks like an option and is none. Words behind it may be its value, or parameters. */
    private static Optional<String> unknownOption(ParameterException problem) {
        return problem instanceof UnmatchedArgumentException unmatched
                ? unmatched.getUnmatched().stream()
                        .filter(word -> word.startsWith("-"))
                        .findFirst()
                : Optional.empty();
    }

    /** A value that is none of the names that an option takes. */
    private static Optional<String> unknownName(ParameterException problem) {
        if (!(problem.getArgSpec() instanceof OptionSpec option)
                || !option.type().isEnum()
                || option.originalStringValues().isEmpty() && problem.getValue() == null) {
            return Optional.empty();
        }
        List<String> names = Arrays.stream(option.type().getEnumConstants())
                .map(Object::toString)
                .toList();
        String given = String.valueOf(problem.getValue());
        return Optional.of(option.longestName() + " does not take '" + given + "'; "
                + NearestName.near(given, names)
                        .map(near -> "did you mean '" + near + "'?")
                        .orElse("it takes one of: " + String.join(", ", names)));
    }

    private static String noOption(String word, CommandLine line) {
        List<String> names = line.getCommandSpec().options().stream()
                .map(OptionSpec::longestName)
                .filter(name -> name.startsWith("--"))
                .toList();
        String name = word.replaceFirst("=.*", "");
        return "'" + name + "' is not an option of '" + line.getCommandSpec().qualifiedName() + "'; "
                + (name.startsWith("--") ? NearestName.near(name, names) : Optional.<String>empty())
                        .map(near -> "did you mean '" + near + "'?")
                        .orElse("the options are: " + String.join(", ", names));
    }

    private static <T> T number(String text, Function<String, T> parsed) {
        try {
            return parsed.apply(text);
        } catch (NumberFormatException noNumber) {
            throw new TypeConversionException("'" + text + "' is no whole number that is possible here; give a number");
        }
    }

    private static String noCommand(String word, CommandLine line) {
        Set<String> commands = line.getCommandSpec().subcommands().keySet();
        String remedy = DRAIN.equals(word)
                ? "a process drains its own log: run 'java -cp ... io.tallystick.narayana.DrainProcess PID SECONDS'"
                        + " beside"
                        + " it, see docs/draining.md"
                : NearestName.near(word, commands)
                        .map(name -> "did you mean '" + name + "'?")
                        .orElse("the commands are: " + String.join(", ", commands));
        return "'" + word + "' is not a command; " + remedy;
    }

    private static int fail(Exception problem, CommandLine line, ParseResult parsed) {
        ExitStatus status = statusOf(problem);
        String message = messageOf(problem);
        line.getErr().println(ToolCommand.NAME + ": " + Escaped.message(message));
        Optional<ToolCommand> command =
                line.getCommand() instanceof ToolCommand one ? Optional.of(one) : Optional.empty();
        command.map(ToolCommand::output).ifPresent(output -> {
            if (output.isStacktrace()) {
                problem.printStackTrace(line.getErr());
            }
            if (output.isJson()) {
                output.json(errorJson(message, status));
            }
        });
        return status.code();
    }

    private static ExitStatus statusOf(Throwable problem) {
        if (problem instanceof ToolException told) {
            return told.status();
        }
        if (problem instanceof StoreLockedException) {
            return ExitStatus.IN_USE;
        }
        if (problem instanceof CorruptStoreException) {
            return ExitStatus.NEGATIVE;
        }
        return problem instanceof IllegalArgumentException ? ExitStatus.USAGE : ExitStatus.FAILED;
    }

    private static String messageOf(Exception problem) {
        String message = String.valueOf(problem.getMessage());
        if (problem instanceof CorruptStoreException) {
            return message + "; 'tallystick verify' reports all damage";
        }
        if (problem instanceof ToolException
                || problem instanceof StoreException
                || problem instanceof IllegalArgumentException) {
            return message;
        }
        if (problem instanceof AccessDeniedException denied) {
            return DeniedAccess.describe(denied) + "; run as the user that owns it";
        }
        if (problem instanceof NoSuchFileException missing) {
            return missing.getFile() + " does not exist (any more); check the path";
        }
        return problem instanceof IOException
                ? "input or output failed: " + problem + "; " + DiskRemedy.of(problem)
                : "unexpected: " + problem + "; this is a defect of the tool, --stacktrace prints its place";
    }

    private static PrintWriter writer(OutputStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
    }

    /** The version that the jar's manifest names. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {ToolCommand.NAME + " " + number()};
        }

        static String number() {
            String version = Main.class.getPackage().getImplementationVersion();
            return version == null ? "(not from a jar)" : version;
        }
    }
}
