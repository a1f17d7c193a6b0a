/** Narayana's own logs, read without Narayana. */
module io.tallystick.narayana.logs {
    requires transitive io.tallystick.storage;
    requires transitive io.tallystick.store;

    exports io.tallystick.narayana.logs;
    exports io.tallystick.narayana.logs.record;
}
