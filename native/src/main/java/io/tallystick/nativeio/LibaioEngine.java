package io.tallystick.nativeio;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Linux AIO through the JNI library of Artemis, on descriptors that are opened with {@code O_DSYNC}. The kernel
 * finishes a request only after the data, and all that is needed to read it, are on disk. The request's result tells a
 * failed flush. (The library can also call {@code fdatasync} when a request has finished, but ignores its result. So
 * that is not used.)
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
