/** A store over a log, for engines of this library; internal. */
module io.tallystick.store.log {
    requires transitive io.tallystick.store;
    requires transitive io.tallystick.storage;

    exports io.tallystick.store.log;
    exports io.tallystick.store.log.commit;
    exports io.tallystick.store.log.record;
    exports io.tallystick.store.log.spi;
}
