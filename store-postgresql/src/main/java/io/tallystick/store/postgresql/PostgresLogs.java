package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
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
            return List.copyOf(new TableCheck(connection, options.schema()).all());
        } catch (SQLException trouble) {
            throw LogInspection.unreadable(options, trouble);
        } finally {
            Connections.closeQuietly(connection);
        }
    }

    @Override
    public StagedLog stage(StoreConfiguration configuration) {
        return new PostgresStagedLog(configuration, NanoClock.SYSTEM);
    }
}
