package io.tallystick.nativeio;

import java.io.Closeable;
import java.io.IOException;

/**
 * An open file as the kernel knows it. The caller that closes it makes sure first that no lane uses the number: the
 * kernel gives it to the next file that is opened.
 */
interface Descriptor extends Closeable {
    /** The number. */
    int number();

    @Override
    void close() throws IOException;
}
