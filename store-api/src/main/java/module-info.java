/** The contract of a transaction-log object store. No dependency, no I/O. */
@SuppressWarnings("module") // the modules that a package is exported to are built later
module io.tallystick.store {
    requires static java.management; // for tallystick.jmx=true alone
    requires static jdk.jfr; // events are recorded if the runtime has it

    exports io.tallystick.store;
    exports io.tallystick.store.services to
            io.tallystick.store.journal;
    exports io.tallystick.store.settings;
    exports io.tallystick.store.spi;
    exports io.tallystick.store.text to
            io.tallystick.narayana,
            io.tallystick.quarkus,
            io.tallystick.spring.boot.autoconfigure,
            io.tallystick.spring.boot3,
            io.tallystick.store.journal,
            io.tallystick.store.postgresql,
            io.tallystick.tool;

    uses io.tallystick.store.spi.ObjectStoreProvider;
    uses io.tallystick.store.spi.RemoteLogs;
    uses io.tallystick.store.spi.StoreInspector;
}
