package io.tallystick.nativeio;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Linux AIO through the JNI library of Artemis, on descriptors that are opened with {@code O_DSYNC}: the kernel counts
 * a request as finished only after the data and what is needed to read it are on disk, and tells a failed flush in the
 * request's result. (The library's own way to durability, {@code fdatasync} when a request has finished, ignores what
 * {@code fdatasync} answers; it is not used.)
 */
final class LibaioEngine implements Engine {
    /** The library must be loaded. */
    LibaioEngine() {}

    @Override
    public String description() {
        return "Linux AIO through libaio";
    }

    @Override
    public Descriptor open(Path file) throws IOException {
        return OwnDescriptor.open(file);
    }

    @Override
    public Lane openLane() throws IOException {
        return LibaioLane.open();
    }
}
