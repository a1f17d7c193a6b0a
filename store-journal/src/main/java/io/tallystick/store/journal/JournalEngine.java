package io.tallystick.store.journal;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A log on files that a journal store can keep its records in. Found by {@link java.util.ServiceLoader};
 * docs/add-an-engine.md tells how to write one.
 */
public interface JournalEngine {
    /** The value of {@code tallystick.journal.engine} that asks for this engine. */
    String name();

    /**
     * The values of {@code tallystick.journal.io} that the engine takes. A trial takes the first that works, unless
     * another is clearly quicker.
     */
    List<String> supportedIo();

    /**
     * The options that only this engine has, made by {@link StoreOption#of} and kept in constants: the same objects at
     * each call. {@link JournalOptions#find} has their values. Asked without a store, also where another one is chosen.
     */
    default List<StoreOption<?>> options() {
        return List.of();
    }

    /** The kind that a directory with files of this engine is marked with. */
    default String kind() {
        return "journal-" + name() + "-v1";
    }

    /**
     * Checks that everything the engine needs is on the class path. Called before anything is made for a store.
     *
     * @throws IllegalArgumentException something is missing, naming it
     */
    default void checkUsable() {
        // an engine without libraries of its own has nothing to check
    }

    /**
     * Opens the log and fills the index with the latest version of each key.
     *
     * @throws IOException the disk refuses; nothing that was stored is changed
     * @throws io.tallystick.store.StoreException the files are damaged or foreign; nothing that was stored is changed
     * @throws IllegalArgumentException the options do not go with the files that are there
     */
    RecordLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException;
}
