/** Lazy transaction timeouts. */
module io.tallystick.reaper {
    requires static jdk.jfr; // expiries are told where it is there
    requires static org.jspecify; // null, for the compiler

    exports io.tallystick.reaper;
}
