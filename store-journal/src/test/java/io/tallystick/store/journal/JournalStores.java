package io.tallystick.store.journal;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.log.LogStore;
import io.tallystick.store.log.spi.WaitStrategy;
import java.nio.file.Path;

/** Opens journal stores for tests, small ones. */
public final class JournalStores {
    private JournalStores() {}

    /** Options of a store with segments of 4 MiB. */
    public static StoreConfiguration.Builder small(Path directory, String engine, String io) {
        return StoreConfiguration.builder()
                .directory(directory)
                .set(StoreOption.JOURNAL_ENGINE, engine)
                .set(StoreOption.JOURNAL_IO, io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 4 * StoreOption.MIB);
    }

    public static LogStore open(StoreConfiguration.Builder configuration) {
        return open(configuration, new SystemDisk());
    }

    /** A store whose threads sleep while they wait, so that few of them write side by side. */
    public static LogStore openSleeping(StoreConfiguration.Builder configuration, Disk disk) {
        JournalOptions options = JournalOptions.from(configuration.build(), WaitStrategy.SLEEP);
        return JournalStore.open(options, disk, NanoClock.SYSTEM);
    }

    public static LogStore open(StoreConfiguration.Builder configuration, Disk disk) {
        return JournalStore.open(JournalOptions.from(configuration.build()), disk, NanoClock.SYSTEM);
    }
}
