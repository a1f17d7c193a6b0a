package io.tallystick.tool;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.file.FileStore;
import io.tallystick.store.file.FileStoreInspector;
import io.tallystick.store.file.FileStoreOptions;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStore;
import io.tallystick.store.journal.inspect.SegmentedInspector;
import io.tallystick.store.spi.StoreInspector;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.ToolException;
import java.nio.file.Path;
import java.util.List;

/** Stores on a disk of the test's own. */
public record SimulatedStores(Disk disk) implements StoreAccess {
    @Override
    public ObjectStore open(StoreConfiguration configuration) {
        return configuration.get(StoreOption.STORE).equals("file")
                ? FileStore.open(FileStoreOptions.from(configuration), disk, NanoClock.SYSTEM)
                : JournalStore.open(JournalOptions.from(configuration), disk, NanoClock.SYSTEM);
    }

    @Override
    public StoreInspector inspectorOf(Path directory) {
        for (StoreInspector inspector : List.of(new FileStoreInspector(disk), new SegmentedInspector(disk))) {
            if (inspector.recognizes(directory)) {
                return inspector;
            }
        }
        throw new ToolException(ExitStatus.NO_STORE, "directory=" + directory + " holds no store");
    }
}
