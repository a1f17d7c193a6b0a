package io.tallystick.durability.subject;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.file.FileStore;
import io.tallystick.store.file.FileStoreOptions;
import io.tallystick.store.inmemory.InMemoryStore;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStore;
import io.tallystick.store.log.spi.WaitStrategy;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** A store of this library. Journals have segments of 64 KiB, so that even a short history changes segments. */
public final class OurSubject implements ConfiguredSubject {
    private static final Set<String> DEVICES = Set.of("aio", "uring");

    private final String name;
    private final String engine;
    private final String io;

    private OurSubject(String name, String engine, String io) {
        this.name = name;
        this.engine = engine;
        this.io = io;
    }

    static OurSubject inMemory() {
        return new OurSubject("inmemory", "", "");
    }

    static OurSubject file() {
        return new OurSubject("file", "", "");
    }

    static OurSubject journal(String engine, String io) {
        return new OurSubject("journal-" + engine + "-" + io, engine, io);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Family family() {
        return Family.OURS;
    }

    @Override
    public Set<Trait> traits() {
        Set<Trait> traits = EnumSet.allOf(Trait.class);
        if (name.equals("inmemory")) {
            traits.remove(Trait.DURABLE);
        }
        if (name.equals("inmemory") || DEVICES.contains(io)) {
            traits.remove(Trait.ANY_DISK);
        }
        return traits;
    }

    @Override
    public Optional<String> unavailableBecause(Path directory) {
        if (!DEVICES.contains(io)) {
            return Optional.empty();
        }
        Optional<DiskDevice> device = DiskDevice.named(io);
        return device.isEmpty()
                ? Optional.of("no device " + io + " on the class path")
                : device.get().unavailableBecause(directory);
    }

    @Override
    public ObjectStore open(Path directory) {
        return open(directory, NanoClock.SYSTEM);
    }

    /** Opens it in a directory on the system's disk, with this clock. */
    public ObjectStore open(Path directory, NanoClock clock) {
        return name.equals("inmemory")
                ? InMemoryStore.open()
                : opened(new SystemDisk(), configuration(directory), WaitStrategy.EXPECTED_END, clock);
    }

    @Override
    public ObjectStore open(Disk disk, Path directory) {
        return open(disk, configuration(directory));
    }

    @Override
    public ObjectStore open(Disk disk, StoreConfiguration configuration) {
        if (!is(Trait.ANY_DISK)) {
            throw new UnsupportedOperationException(name + " does not use the disk that it is given");
        }
        // Threads that sleep have several writes in flight, so more can go wrong on a disk that fails or dies.
        return opened(disk, configuration, WaitStrategy.SLEEP, NanoClock.SYSTEM);
    }

    @Override
    public StoreConfiguration configuration(Path directory) {
        StoreConfiguration.Builder builder =
                StoreConfiguration.builder().directory(directory).set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
        builder.store(engine.isEmpty() ? name : "journal");
        if (!engine.isEmpty()) {
            builder.set(StoreOption.JOURNAL_ENGINE, engine)
                    .set(StoreOption.JOURNAL_IO, io)
                    .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB);
        }
        return builder.build();
    }

    private ObjectStore opened(Disk disk, StoreConfiguration configuration, WaitStrategy waiting, NanoClock clock) {
        return engine.isEmpty()
                ? FileStore.open(FileStoreOptions.from(configuration), disk, clock)
                : JournalStore.open(JournalOptions.from(configuration, waiting), disk, clock);
    }

    @Override
    public String toString() {
        return name;
    }
}
