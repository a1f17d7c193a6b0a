package io.tallystick.tool.migrate;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.StagedLog;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.RemoteLog;
import io.tallystick.tool.command.ToolException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** A new log in a database; see {@link StagedLog}. The log's own fence keeps two runs from filling it at once. */
final class StagedInDatabase implements MigrationTarget {
    private final RemoteLog log;
    private final StagedLog staged;

    StagedInDatabase(RemoteLog log) {
        this.log = log;
        this.staged = log.logs().stage(log.configuration());
    }

    @Override
    public String name() {
        return "schema=" + log.configuration().get(StoreOption.POSTGRESQL_SCHEMA) + " node="
                + log.configuration().get(StoreOption.NODE_ID);
    }

    @Override
    public String place() {
        return name();
    }

    @Override
    public String remedy() {
        return "give another node; 'tallystick import' adds the states of an export to a log that is there. A log that"
                + " nothing was ever written to is replaced, but only when the node has closed it";
    }

    @Override
    public String description() {
        return "tallystick.store=" + log.configuration().get(StoreOption.STORE);
    }

    /** The place would not do: another log may be made in it, and the URL may name other hosts later. */
    @Override
    public String identity(Disk disk) {
        return found().flatMap(StoreInspection::storeId).map(UUID::toString).orElse("");
    }

    @Override
    public boolean isPublished() {
        return found().isPresent();
    }

    private Optional<StoreInspection> found() {
        try {
            return log.find();
        } catch (UnsupportedFormatException noTables) { // the opening makes them, or refuses again
            if (!log.configuration().get(StoreOption.POSTGRESQL_CREATE_TABLES)) {
                throw noTables;
            }
            return Optional.empty();
        }
    }

    @Override
    public boolean isReplaceable() {
        return staged.replacesEmptyLog();
    }

    @Override
    public boolean isUnfinished() {
        return staged.isUnfinished();
    }

    @Override
    public void take() {
        // opening the log takes it
    }

    @Override
    public ObjectStore create() {
        return staged.create();
    }

    @Override
    public Map<StateKey, Supplier<StateImage>> created() {
        return statesOf(staged.inspect());
    }

    @Override
    public Map<StateKey, Supplier<StateImage>> published() {
        return statesOf(log.inspect());
    }

    private static Map<StateKey, Supplier<StateImage>> statesOf(StoreInspection inspection) {
        StoreContent content = StoreContent.inspected(inspection);
        if (!content.damages().isEmpty()) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    inspection.place() + " is damaged: "
                            + content.damages().get(0).describe() + "; see 'tallystick verify'");
        }
        return content.states();
    }

    @Override
    public void publish() {
        staged.publish();
    }

    @Override
    public void sweep() {
        staged.discard();
    }

    @Override
    public void abandon() {
        staged.discard();
    }

    @Override
    public void close() {
        // nothing is held
    }
}
