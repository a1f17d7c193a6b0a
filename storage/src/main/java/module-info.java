/** The only door to disk and clock. */
module io.tallystick.storage {
    requires io.tallystick.store; // StoreThread
    requires jdk.unsupported; // ExtendedOpenOption.DIRECT
    requires static org.jspecify; // null, for the compiler

    exports io.tallystick.storage;

    uses io.tallystick.storage.DiskDevice;
}
