package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A store of Narayana in one directory. It takes no lock, so its user has to be stopped. Files that a process has open
 * may show that user.
 */
public abstract class DirectorySource implements LogSource {
    /** The disk of all files. */
    protected final Disk disk;

    /** The directory of the store. */
    protected final Path directory;

    private final String name;

    /** @param name of the kind of store, for people */
    protected DirectorySource(Disk disk, Path directory, String name) {
        this.disk = disk;
        this.directory = directory;
        this.name = name;
    }

    @Override
    public final String description() {
        return name + ", directory=" + directory;
    }

    @Override
    public final boolean mustBeStopped() {
        return true;
    }

    @Override
    public final Optional<String> holder() throws IOException {
        return OpenFiles.holderOf(disk, directory);
    }

    @Override
    public final Optional<Path> markPlace() {
        return Optional.of(directory);
    }
}
