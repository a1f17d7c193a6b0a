/** A store whose transactions share their syncs. */
@SuppressWarnings("module") // the modules that a package is exported to are built later
module io.tallystick.store.journal {
    requires transitive io.tallystick.storage;
    requires transitive io.tallystick.store;
    requires transitive io.tallystick.store.log;

    exports io.tallystick.store.journal;
    exports io.tallystick.store.journal.inspect;
    exports io.tallystick.store.journal.io;
    exports io.tallystick.store.journal.room to
            io.tallystick.store.journal.artemis;

    uses io.tallystick.store.journal.JournalEngine;

    provides io.tallystick.store.journal.JournalEngine with
            io.tallystick.store.journal.segment.SegmentedEngine;
    provides io.tallystick.store.spi.ObjectStoreProvider with
            io.tallystick.store.journal.JournalStoreProvider;
    provides io.tallystick.store.spi.StoreInspector with
            io.tallystick.store.journal.inspect.SegmentedInspector;
}
