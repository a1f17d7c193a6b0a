package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.MigrationMark;
import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;

/** A new store in a directory; see {@link Staging}. */
final class StagedDirectory implements MigrationTarget {
    private final Staging staging;
    private final TargetStore store;
    private Path made;

    StagedDirectory(Staging staging, TargetStore store) {
        this.staging = staging;
        this.store = store;
    }

    @Override
    public String name() {
        return staging.target().toString();
    }

    @Override
    public String place() {
        return "directory=" + staging.target();
    }

    @Override
    public String remedy() {
        return "give a new or an empty directory";
    }

    @Override
    public String description() {
        return store.description();
    }

    @Override
    public String identity(Disk disk) throws IOException {
        return MigrationMark.identityOf(disk, staging.target()).orElse("");
    }

    @Override
    public boolean isPublished() throws IOException {
        return staging.isPublished();
    }

    /** A directory with a store in it is its user's to delete. */
    @Override
    public boolean isReplaceable() {
        return false;
    }

    @Override
    public boolean isUnfinished() throws IOException {
        return staging.isUnfinished();
    }

    @Override
    public void take() throws IOException {
        staging.take();
    }

    @Override
    public ObjectStore create() throws IOException {
        made = staging.begin();
        return store.create(made);
    }

    @Override
    public Map<StateKey, Supplier<StateImage>> created() throws IOException {
        return store.read(made);
    }

    @Override
    public Map<StateKey, Supplier<StateImage>> published() throws IOException {
        return store.read(staging.target());
    }

    @Override
    public void publish() throws IOException {
        staging.publish();
    }

    @Override
    public void sweep() throws IOException {
        staging.sweep();
    }

    @Override
    public void abandon() throws IOException {
        if (!staging.isPublished()) {
            staging.abandon();
        }
    }

    @Override
    public void close() throws IOException {
        staging.close();
    }
}
