/** Lazy transaction timeouts. */
module io.tallystick.reaper {
    requires static jdk.jfr; // expiries are told where it is there

    exports io.tallystick.reaper;
}
