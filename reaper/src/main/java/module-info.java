/** Lazy transaction timeouts. */
module io.tallystick.reaper {
    exports io.tallystick.reaper;
}
