package io.tallystick.nativeio;

import java.util.Optional;

/** The numbers of system calls and flags on one kind of processor. */
enum Architecture {
    /** 64-bit Intel and AMD. */
    AMD64(206, 207, 209, 208, 257, 3, 9, 11, 0x4000, 0x2_0000),
    /** 64-bit ARM. */
    AARCH64(0, 1, 2, 4, 56, 57, 222, 215, 0x1_0000, 0x8000);

    // The same everywhere: system calls that came after the numbers were unified.
    static final int IO_URING_SETUP = 425;
    static final int IO_URING_ENTER = 426;

    final int ioSetup;
    final int ioDestroy;
    final int ioSubmit;
    final int ioGetevents;
    final int openat;
    final int close;
    final int mmap;
    final int munmap;
    // Bits of open's flags.
    final int direct;
    final int noFollow;

    Architecture(
            int ioSetup,
            int ioDestroy,
            int ioSubmit,
            int ioGetevents,
            int openat,
            int close,
            int mmap,
            int munmap,
            int direct,
            int noFollow) {
        this.ioSetup = ioSetup;
        this.ioDestroy = ioDestroy;
        this.ioSubmit = ioSubmit;
        this.ioGetevents = ioGetevents;
        this.openat = openat;
        this.close = close;
        this.mmap = mmap;
        this.munmap = munmap;
        this.direct = direct;
        this.noFollow = noFollow;
    }

    /** The architecture of this JVM, if it is known. */
    static Optional<Architecture> current() {
        return switch (System.getProperty("os.arch")) {
            case "amd64" -> Optional.of(AMD64);
            case "aarch64" -> Optional.of(AARCH64);
            default -> Optional.empty();
        };
    }
}
