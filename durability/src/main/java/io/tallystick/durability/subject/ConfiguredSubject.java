package io.tallystick.durability.subject;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A store of this library that a configuration describes: it can be opened from classes that were loaded again. */
public interface ConfiguredSubject extends Subject {
    /** The configuration of the store of this directory. */
    StoreConfiguration configuration(Path directory);

    /**
     * Opens it on that disk with a changed configuration.
     *
     * @throws UnsupportedOperationException it is not {@link Trait#ANY_DISK}
     */
    ObjectStore open(Disk disk, StoreConfiguration configuration);

    /** The system properties that configure the store of this directory, by their names. */
    default Map<String, String> properties(Path directory) {
        Map<String, String> properties = new LinkedHashMap<>();
        configuration(directory).texts().forEach((option, text) -> properties.put(option.key(), text));
        return properties;
    }
}
