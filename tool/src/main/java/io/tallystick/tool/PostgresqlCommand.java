package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import io.tallystick.store.spi.RemoteLogs;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.RemoteLogOption;
import io.tallystick.tool.command.ToolCommand;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands for the administrator of a database. */
@Command(
        name = "postgresql",
        description = {"Prepare a database for logs: 'postgresql ddl' prints the tables and the grants.", ""},
        subcommands = PostgresqlCommand.Ddl.class)
final class PostgresqlCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "print this help and end")
    private boolean help;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command is given; give one of: ddl");
    }

    /** Prints the statements that make the tables. */
    @Command(
            name = "ddl",
            description = {
                "Print the statements that make the tables, and the grants that a store needs. With --url also report"
                        + " what the database lacks, with status 1. Nothing is changed.",
                ""
            })
    static final class Ddl extends ToolCommand {
        private static final String ANY_ROLE = "ROLE";

        @Option(
                names = "--role",
                paramLabel = "ROLE",
                description = "print the grants for this user; without it they are comments")
        private Optional<String> role;

        @Mixin
        private RemoteLogOption remote;

        @Override
        protected ExitStatus run() {
            RemoteLogs logs = RemoteLogs.of("postgresql");
            List<String> missing = remote.isGiven() ? logs.missing(remote.settings()) : List.of();
            List<String> tables = logs.statements(remote.schema(), Optional.empty());
            List<String> all = logs.statements(remote.schema(), Optional.of(role.orElse(ANY_ROLE)));
            List<String> grants = all.subList(tables.size(), all.size());
            if (output().isJson()) {
                output().json(Json.object()
                        .add("statements", array(role.isPresent() ? all : tables))
                        .add("missing", array(missing)));
            } else {
                tables.forEach(statement -> output().line("%s;", statement));
                grants.forEach(
                        statement -> output().line("%s%s;", role.isPresent() ? "" : "-- ", Escaped.of(statement)));
                missing.forEach(each -> output().line("-- missing: %s", Escaped.message(each)));
                if (remote.isGiven() && missing.isEmpty()) {
                    output().line("-- nothing is missing");
                }
            }
            return missing.isEmpty() ? ExitStatus.OK : ExitStatus.NEGATIVE;
        }

        private static JsonArray array(List<String> texts) {
            JsonArray array = Json.array();
            texts.forEach(array::add);
            return array;
        }
    }
}
