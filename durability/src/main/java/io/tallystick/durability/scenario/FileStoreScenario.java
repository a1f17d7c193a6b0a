package io.tallystick.durability.scenario;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.file.FileStore;
import io.tallystick.store.file.FileStoreInspector;
import io.tallystick.store.file.FileStoreOptions;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.testkit.schedule.Schedule;
import java.nio.file.Path;
import java.util.Random;

/** The whole file store. */
public final class FileStoreScenario extends StoreScenario {
    // So few that callers that defer change names beside the round of another one.
    private static final int QUEUED_CHANGES = 2;

    /** One for each schedule. */
    public FileStoreScenario() {}

    @Override
    ObjectStore open(Disk on, Path directory, WaitStrategy waiting) {
        FileStoreOptions options = FileStoreOptions.in(directory).withMaxQueuedChanges(QUEUED_CHANGES);
        return FileStore.open(options, on, Schedule::nanoTime);
    }

    @Override
    int commitsEach() {
        return 2;
    }

    @Override
    int operationsOfEachKind() {
        return 10;
    }

    @Override
    int stateBytes(Random own) {
        return 20;
    }

    @Override
    StoreInspection inspect(Disk on, Path directory) {
        return new FileStoreInspector(on).inspect(directory);
    }

    /** They belong to a pool of the JDK. */
    @Override
    boolean seesStages() {
        return false;
    }

    /** Few, so that a file is often changed while it is read. */
    @Override
    int keysOfTurnover() {
        return 1;
    }
}
