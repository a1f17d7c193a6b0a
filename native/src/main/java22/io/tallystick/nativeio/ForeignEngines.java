package io.tallystick.nativeio;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The engines that call the kernel through java.lang.foreign: this copy of the class is for JDK 22 and later. */
final class ForeignEngines {
    private ForeignEngines() {}

    /** Why these engines do not work here; empty if they do. */
    static Optional<String> unavailableBecause() {
        if (!"Linux".equals(System.getProperty("os.name"))) {
            return Optional.of("its system calls exist on Linux only and this is " + System.getProperty("os.name")
                    + ". Use tallystick.journal.io=channel or direct");
        }
        if (Architecture.current().isEmpty()) {
            return Optional.of("its system calls are known for x86-64 and 64-bit ARM and this JVM is for "
                    + System.getProperty("os.arch") + ". Use tallystick.journal.io=direct");
        }
        return Kernel.unreachableBecause();
    }

    static Engine aio() {
        return new KernelEngine("Linux AIO by system calls", ForeignAioLane::open);
    }

    static Engine uring() {
        return new KernelEngine("io_uring by system calls", UringLane::open);
    }

    /** Opens a lane. */
    private interface Lanes {
        Lane open() throws IOException;
    }

    /** System calls on descriptors of the kernel's own. */
    private record KernelEngine(String description, Lanes lanes) implements Engine {
        @Override
        public Descriptor open(Path file) throws IOException {
            return KernelDescriptor.open(file);
        }

        @Override
        public Lane openLane() throws IOException {
            return lanes.open();
        }
    }
}
