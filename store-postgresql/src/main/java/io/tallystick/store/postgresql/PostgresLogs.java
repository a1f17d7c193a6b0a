package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Replication;
import io.tallystick.store.spi.NodePool;
import io.tallystick.store.spi.NoticedLoss;
import io.tallystick.store.spi.RemoteLogs;
import io.tallystick.store.spi.ServerReport;
import io.tallystick.store.spi.StagedLog;
import io.tallystick.store.spi.StoreInspection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at logs in a PostgreSQL database, for the command-line tool. */
public final class PostgresLogs implements RemoteLogs {
    /** For {@link java.util.ServiceLoader}. */
    public PostgresLogs() {}

    @Override
    public String store() {
        return PostgresStore.NAME;
    }

    @Override
    public Optional<StoreInspection> inspect(StoreConfiguration configuration) {
        return LogInspection.of(PostgresOptions.from(configuration));
    }

    @Override
    public ServerReport examine(StoreConfiguration configuration) {
        return new ServerExamination(PostgresOptions.from(configuration), NanoClock.SYSTEM).run();
    }

    @Override
    public List<String> statements(String schema, Optional<String> user) {
        List<String> statements = new ArrayList<>(Schema.ddl(schema));
        user.ifPresent(name -> statements.addAll(Schema.grants(schema, name)));
        return List.copyOf(statements);
    }

    @Override
    public List<String> missing(StoreConfiguration configuration) {
        PostgresOptions options = PostgresOptions.from(
                configuration.isSet(StoreOption.NODE_ID)
                        ? configuration
                        : configuration.toBuilder()
                                .set(StoreOption.NODE_ID, "-")
                                .build());
        Connection connection = null;
        try {
            connection = new Connections(options).openToLook("tallystick looking at tables");
            TableCheck tables = new TableCheck(connection, options.schema());
            List<String> missing = new ArrayList<>(tables.all());
            missing.addAll(tables.losses());
            if (configuration.isSet(StoreOption.NODE_POOL)) {
                missing.addAll(tables.pools());
            }
            return List.copyOf(missing);
        } catch (SQLException trouble) {
            throw LogInspection.unreadable(options, trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    @Override
    public List<NoticedLoss> losses(StoreConfiguration configuration) {
        PostgresOptions options = PostgresOptions.from(configuration);
        Connection connection = null;
        try {
            connection = new Connections(options).openToLook("tallystick looking at " + options.nodeId());
            return List.copyOf(LossRows.open(connection, options));
        } catch (SQLException trouble) {
            throw LogInspection.unreadable(options, trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    @Override
    public void acceptLosses(StoreConfiguration configuration, List<NoticedLoss> losses, String reason, String user) {
        // What is accepted is a note of a person: it is as durable as the server makes it.
        PostgresOptions options = PostgresOptions.from(configuration.toBuilder()
                .set(StoreOption.REQUIRE_REPLICATION, Replication.NONE)
                .build());
        Connection connection = null;
        try {
            connection = new Connections(options).open("tallystick accepting " + options.nodeId());
            Optional<LogRow> row = Schema.hasLogTable(connection, options.schema())
                    ? LogRow.find(connection, options.nodeId())
                    : Optional.empty();
            Optional<String> owner = row.isPresent() ? row.get().livingOwner(connection) : Optional.empty();
            if (owner.isPresent()) {
                throw new StoreLockedException("the log in " + options.place() + " has an owner: " + owner.get()
                        + "; stop that process, and look again");
            }
            int accepted = LossRows.accept(connection, options, losses, reason, user);
            if (accepted != losses.size()) {
                throw new StoreIoException(
                        "of " + losses.size() + " losses in " + options.place() + " " + accepted
                                + " were accepted; others were accepted meanwhile, look again",
                        null);
            }
        } catch (SQLException trouble) {
            throw new StoreIoException(
                    "the loss in " + options.place() + " cannot be accepted: " + trouble.getMessage()
                            + "; check the server and the user's grants, and look again",
                    trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    @Override
    public StagedLog stage(StoreConfiguration configuration) {
        return new PostgresStagedLog(configuration, NanoClock.SYSTEM);
    }

    @Override
    public NodePool pool(StoreConfiguration configuration) {
        return PostgresPool.of(configuration);
    }
}
