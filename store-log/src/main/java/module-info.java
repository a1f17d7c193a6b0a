/** A store over a log, for engines of this library; internal. */
@SuppressWarnings("module") // the modules that a package is exported to are built later
module io.tallystick.store.log {
    requires transitive io.tallystick.store;
    requires transitive io.tallystick.storage;
    requires static org.jspecify; // null, for the compiler

    exports io.tallystick.store.log;
    exports io.tallystick.store.log.commit to
            io.tallystick.store.journal,
            io.tallystick.store.postgresql;
    exports io.tallystick.store.log.record;
    exports io.tallystick.store.log.spi;
}
