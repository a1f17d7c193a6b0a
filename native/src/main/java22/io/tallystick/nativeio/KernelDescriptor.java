package io.tallystick.nativeio;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;

/** A file opened by a system call with {@code O_DIRECT}; each write asks for durability by itself. */
final class KernelDescriptor implements Descriptor {
    private static final int RELATIVE_TO_WORKING_DIRECTORY = -100;
    private static final int READ_WRITE = 2;
    private static final int CLOSE_ON_EXEC = 0x8_0000;

    private final int number;

    private KernelDescriptor(int number) {
        this.number = number;
    }

    static KernelDescriptor open(Path file) throws IOException {
        Architecture architecture = Architecture.current().orElseThrow();
        int flags = READ_WRITE | CLOSE_ON_EXEC | architecture.direct | architecture.noFollow;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(Kernel.ERRNO_BYTES, Long.BYTES);
            MemorySegment path = pathOf(file, arena);
            long result;
            do {
                result = Kernel.call(
                        errno, architecture.openat, RELATIVE_TO_WORKING_DIRECTORY, path.address(), flags, 0);
            } while (result == -Kernel.EINTR);
            if (result < 0) {
                throw refusal(file, -result);
            }
            return new KernelDescriptor((int) result);
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public void close() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(Kernel.ERRNO_BYTES, Long.BYTES);
            long result = Kernel.call(errno, Architecture.current().orElseThrow().close, number);
            // After EINTR the descriptor is closed on Linux; closing it again could hit another file.
            if (result < 0 && result != -Kernel.EINTR) {
                throw new IOException("descriptor=" + number + " close failed: " + Kernel.errorText(-result));
            }
        }
    }

    private static FileSystemException refusal(Path file, long error) {
        if (error == Kernel.ENOENT) {
            return new NoSuchFileException(file.toString());
        }
        if (error == Kernel.ELOOP) {
            return new FileSystemLoopException(file.toString());
        }
        return new FileSystemException(file.toString(), null, "open with O_DIRECT: " + Kernel.errorText(error));
    }

    /**
     * The path's own bytes, which end with a zero. The text of a path depends on a character set that the JVM hides.
     * The URI of a path has each byte, escaped where it is no plain letter.
     */
    private static MemorySegment pathOf(Path file, Arena arena) {
        String escaped = file.toUri().getRawPath();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int at = 0; at < escaped.length(); at++) {
            if (escaped.charAt(at) == '%') {
                bytes.write(HexFormat.fromHexDigits(escaped, at + 1, at + 3));
                at += 2;
            } else {
                bytes.write(escaped.charAt(at));
            }
        }
        bytes.write(0);
        return arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes.toByteArray());
    }
}
