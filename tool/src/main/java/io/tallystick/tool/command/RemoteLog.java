package io.tallystick.tool.command;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.RemoteLogs;
import io.tallystick.store.spi.StoreInspection;
import java.util.Map;
import java.util.Optional;

/**
 * The log of a node on a server.
 *
 * @param configuration opens it, as its owner would
 */
public record RemoteLog(StoreConfiguration configuration) {
    /** What looks at such logs. */
    public RemoteLogs logs() {
        return RemoteLogs.of(configuration.get(StoreOption.STORE));
    }

    /**
     * Reads the log as it is at one moment, without taking it over; empty if the node has none.
     *
     * @throws io.tallystick.store.StoreException it cannot be read
     */
    public Optional<StoreInspection> find() {
        return logs().inspect(configuration);
    }

    /**
     * As {@link #find}.
     *
     * @throws ToolException the node has no log
     */
    public StoreInspection inspect() {
        return find().orElseThrow(this::missing);
    }

    /** With further keys and values; they win. */
    public RemoteLog with(Map<String, String> settings) {
        StoreConfiguration.Builder builder = configuration.toBuilder();
        GivenSettings.apply(settings, builder);
        return new RemoteLog(builder.build());
    }

    /** The log is not there. */
    public ToolException missing() {
        return new ToolException(
                ExitStatus.NO_STORE,
                "the server has no log of node=" + configuration.get(StoreOption.NODE_ID)
                        + " in schema=" + configuration.get(StoreOption.POSTGRESQL_SCHEMA)
                        + "; check --url, --schema and --node");
    }
}
