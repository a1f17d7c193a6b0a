/** A store in memory. */
module io.tallystick.store.inmemory {
    requires transitive io.tallystick.store;

    exports io.tallystick.store.inmemory;

    provides io.tallystick.store.spi.ObjectStoreProvider with
            io.tallystick.store.inmemory.InMemoryStoreProvider;
}
