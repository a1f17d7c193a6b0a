package io.tallystick.tool.migrate;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;

/** The kind of the new store. */
interface TargetStore {
    /** The store, in the words of the configuration. */
    String description();

    /** Opens a new store in the directory, which does not exist yet. */
    ObjectStore create(Path directory) throws IOException;

    /** The states of a closed store, with hidden values, read from its files; empty if one is damaged or in use. */
    Map<StateKey, Supplier<StateImage>> read(Path directory) throws IOException;
}
