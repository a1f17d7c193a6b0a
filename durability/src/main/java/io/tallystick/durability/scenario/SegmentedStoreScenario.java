package io.tallystick.durability.scenario;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStore;
import io.tallystick.store.journal.inspect.SegmentedInspector;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StoreInspection;
import java.nio.file.Path;
import java.util.Random;

/** The whole segmented journal, with segments so small that the housekeeper moves records and frees segments. */
public final class SegmentedStoreScenario extends StoreScenario {
    private static final long SEGMENT_BYTES = 64 * StoreOption.KIB;
    private static final int LONGEST_STATE = 15_000;

    /** One for each schedule. */
    public SegmentedStoreScenario() {}

    @Override
    ObjectStore open(Disk on, Path directory, WaitStrategy waiting) {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .directory(directory)
                .set(StoreOption.JOURNAL_ENGINE, "segmented")
                .set(StoreOption.JOURNAL_IO, "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, SEGMENT_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, SEGMENT_BYTES / 4)
                .build();
        return JournalStore.open(
                JournalOptions.from(configuration, waiting), on, new MovingClock(directory.hashCode()));
    }

    @Override
    int commitsEach() {
        return 8;
    }

    @Override
    int operationsOfEachKind() {
        return 30;
    }

    @Override
    int stateBytes(Random own) {
        return own.nextInt(3) == 0 ? 20 : LONGEST_STATE;
    }

    @Override
    StoreInspection inspect(Disk on, Path directory) {
        return new SegmentedInspector(on).inspect(directory);
    }

    @Override
    boolean seesStages() {
        return true;
    }

    /** Many, so that some still lie where they were when a segment is moved. */
    @Override
    int keysOfTurnover() {
        return 16;
    }
}
