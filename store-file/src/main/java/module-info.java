/** A store that keeps one file for each key. */
module io.tallystick.store.file {
    requires transitive io.tallystick.store;
    requires transitive io.tallystick.storage;
    requires static org.jspecify; // null, for the compiler

    exports io.tallystick.store.file;

    provides io.tallystick.store.spi.ObjectStoreProvider with
            io.tallystick.store.file.FileStoreProvider;
    provides io.tallystick.store.spi.StoreInspector with
            io.tallystick.store.file.FileStoreInspector;
}
