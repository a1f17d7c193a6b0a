package io.tallystick.durability.subject;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** The reaper, whose interleavings are explored as those of stores are. It is no store, and cannot be opened as one. */
public final class ReaperSubject implements ConfiguredSubject {
    ReaperSubject() {}

    @Override
    public String name() {
        return "reaper";
    }

    @Override
    public Family family() {
        return Family.OURS;
    }

    @Override
    public Set<Trait> traits() {
        return Set.of();
    }

    @Override
    public Optional<String> unavailableBecause(Path directory) {
        return Optional.empty();
    }

    @Override
    public ObjectStore open(Path directory) {
        throw noStore();
    }

    @Override
    public ObjectStore open(Disk disk, Path directory) {
        throw noStore();
    }

    @Override
    public ObjectStore open(Disk disk, StoreConfiguration configuration) {
        throw noStore();
    }

    @Override
    public StoreConfiguration configuration(Path directory) {
        throw noStore();
    }

    private static UnsupportedOperationException noStore() {
        return new UnsupportedOperationException("the reaper is no store; the stage schedules explores it");
    }
}
