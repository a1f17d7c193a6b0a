package io.tallystick.tool.command;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options that name a log in a database, instead of a directory. */
public final class RemoteLogOption {
    private static final String POSTGRESQL = "jdbc:postgresql:";

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "the database that the log lies in, such as jdbc:postgresql://db1,db2/tx")
    private Optional<String> url;

    @Option(names = "--user", paramLabel = "NAME", description = "with --url: the user of the database")
    private Optional<String> user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "with --url: a file with the user's password in its first line")
    private Optional<Path> passwordFile;

    @Option(names = "--schema", paramLabel = "NAME", description = "with --url: the schema of the tables")
    private Optional<String> schema;

    @Option(names = "--node", paramLabel = "ID", description = "with --url: the node whose log it is")
    private Optional<String> node;

    /** For picocli. */
    public RemoteLogOption() {}

    /**
     * The log that is named; empty without {@code --url}.
     *
     * @throws ParameterException the options do not go together
     */
    public Optional<RemoteLog> log() {
        if (url.isEmpty()) {
            if (user.isPresent() || passwordFile.isPresent() || schema.isPresent() || node.isPresent()) {
                throw wrong("--user, --password-file, --schema and --node go with --url; give the URL of the database");
            }
            return Optional.empty();
        }
        if (node.isEmpty()) {
            throw wrong("--url names a database with the logs of many nodes; give --node too");
        }
        return Optional.of(new RemoteLog(settings()));
    }

    /**
     * The database as it is given, perhaps without a node.
     *
     * @throws ParameterException there is no such database
     */
    public StoreConfiguration settings() {
        return settings(spec, url.orElse(""), user, passwordFile, schema, node);
    }

    /** Whether a database is given. */
    public boolean isGiven() {
        return url.isPresent();
    }

    /** The schema of the tables. */
    public String schema() {
        return schema.orElse(StoreConfiguration.builder().build().get(StoreOption.POSTGRESQL_SCHEMA));
    }

    /**
     * The configuration of a log in a database.
     *
     * @throws ParameterException there is no such database
     */
    public static StoreConfiguration settings(
            CommandSpec spec,
            String url,
            Optional<String> user,
            Optional<Path> passwordFile,
            Optional<String> schema,
            Optional<String> node) {
        if (!url.toLowerCase(Locale.ROOT).startsWith(POSTGRESQL)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--url does not begin with " + POSTGRESQL + "; write it like jdbc:postgresql://db1,db2/tx");
        }
        StoreConfiguration.Builder builder =
                StoreConfiguration.builder().store("postgresql").set(StoreOption.POSTGRESQL_URL, url);
        user.ifPresent(name -> builder.set(StoreOption.POSTGRESQL_USER, name));
        passwordFile.ifPresent(file -> builder.set(StoreOption.POSTGRESQL_PASSWORD_FILE, file));
        schema.ifPresent(name -> builder.set(StoreOption.POSTGRESQL_SCHEMA.key(), name));
        node.ifPresent(id -> builder.set(StoreOption.NODE_ID.key(), id));
        return builder.build();
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
