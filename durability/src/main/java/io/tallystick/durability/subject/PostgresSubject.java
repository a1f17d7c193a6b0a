package io.tallystick.durability.subject;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.postgresql.PostgresStoreProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The store in PostgreSQL. A directory stands for a log: the settings are in a file of that name in the directory, or
 * in the nearest one above, and a node id that they do not give is made of the directory's path.
 */
public final class PostgresSubject implements ConfiguredSubject {
    /** The file with the settings of the store. */
    public static final String SETTINGS = "postgresql.properties";

    PostgresSubject() {}

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public Family family() {
        return Family.OURS;
    }

    @Override
    public Set<Trait> traits() {
        Set<Trait> traits = EnumSet.allOf(Trait.class);
        traits.remove(Trait.ANY_DISK);
        return traits;
    }

    @Override
    public Optional<String> unavailableBecause(Path directory) {
        return Optional.empty();
    }

    @Override
    public ObjectStore open(Path directory) {
        return new PostgresStoreProvider().open(configuration(directory));
    }

    @Override
    public ObjectStore open(Disk disk, Path directory) {
        throw new UnsupportedOperationException(name() + " does not use the disk that it is given");
    }

    @Override
    public ObjectStore open(Disk disk, StoreConfiguration configuration) {
        throw new UnsupportedOperationException(name() + " does not use the disk that it is given");
    }

    @Override
    public StoreConfiguration configuration(Path directory) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        builder.withFile(settingsOf(directory));
        if (!builder.build().isSet(StoreOption.NODE_ID)) {
            builder.set(
                    StoreOption.NODE_ID,
                    "n"
                            + Integer.toHexString(
                                    directory.toAbsolutePath().toString().hashCode()));
        }
        return builder.build();
    }

    private static Path settingsOf(Path directory) {
        for (Path above = directory.toAbsolutePath(); above != null; above = above.getParent()) {
            if (Files.exists(above.resolve(SETTINGS))) {
                return above.resolve(SETTINGS);
            }
        }
        throw new UncheckedIOException(
                new IOException("there is no " + SETTINGS + " in " + directory + " or above: no server was started"));
    }

    @Override
    public String toString() {
        return name();
    }
}
