package io.tallystick.durability.subject;

import io.tallystick.store.StoreConfiguration;
import java.nio.file.Path;

/** A store of this library that a configuration describes: it can be opened from classes that were loaded again. */
public interface ConfiguredSubject extends Subject {
    /** The configuration of the store of this directory. */
    StoreConfiguration configuration(Path directory);
}
