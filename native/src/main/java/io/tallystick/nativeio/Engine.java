package io.tallystick.nativeio;

import java.io.IOException;
import java.nio.file.Path;

/** A family of system calls that can write past the page cache. Any thread may call it. */
interface Engine {
    /** Its name in messages, such as {@code Linux AIO through libaio}. */
    String description();

    /**
     * Opens an existing file to write past the page cache, without following a link at the end of the path.
     *
     * @throws java.nio.file.NoSuchFileException it does not exist
     */
    Descriptor open(Path file) throws IOException;

    /** A new lane, for descriptors of this engine. */
    Lane openLane() throws IOException;
}
