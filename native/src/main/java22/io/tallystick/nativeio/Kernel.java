package io.tallystick.nativeio;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * System calls, all through the C library's {@code syscall}. Results are the kernel's own: a value, or a negative error
 * number.
 *
 * <p>Each call takes a segment of {@link #ERRNO_BYTES} bytes. It gets the C library's {@code errno} before the JVM can
 * change it. One thread at a time may use a segment.
 */
final class Kernel {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int ELOOP = 40;
    static final int ETIME = 62;

    private static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
    static final long ERRNO_BYTES = ERRNO_LAYOUT.byteSize();

    private Kernel() {}

    /** Why system calls cannot be made from here; empty if they can. */
    // restricted: called only for its refusal, which would otherwise make the initialization of a class fail.
    @SuppressWarnings("restricted")
    static Optional<String> unreachableBecause() {
        try {
            ValueLayout.ADDRESS.withTargetLayout(ValueLayout.JAVA_BYTE);
            Calls.errorText(EPERM);
            return Optional.empty();
        } catch (IllegalCallerException | LinkageError refused) {
            return Optional.of("this JVM does not let tallystick-native call the system: " + refused
                    + ". Start it with --enable-native-access=io.tallystick.nativeio, or ALL-UNNAMED on the"
                    + " class path");
        }
    }

    static long call(MemorySegment errno, int number, long a, long b, long c, long d, long e, long f) {
        return Calls.call(errno, number, a, b, c, d, e, f);
    }

    static long call(MemorySegment errno, int number, long a, long b, long c, long d) {
        return Calls.call(errno, number, a, b, c, d, 0, 0);
    }

    static long call(MemorySegment errno, int number, long a, long b) {
        return Calls.call(errno, number, a, b, 0, 0, 0, 0);
    }

    static long call(MemorySegment errno, int number, long a) {
        return Calls.call(errno, number, a, 0, 0, 0, 0, 0);
    }

    /** The C library's text for an error number, and the number. */
    static String errorText(long error) {
        return Calls.errorText((int) error) + " (error " + error + ")";
    }

    /** Memory that the kernel gave, which Java does not manage. */
    // restricted: the address and the size are the kernel's, from mmap.
    @SuppressWarnings("restricted")
    static MemorySegment memoryAt(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    /** The handles. They are made at the first use, because a JVM without native access refuses to make them. */
    private static final class Calls {
        private static final Linker LINKER = Linker.nativeLinker();
        private static final VarHandle ERRNO = ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        // restricted: no text of strerror is longer, and reading stops at its end.
        @SuppressWarnings("restricted")
        private static final AddressLayout TEXT =
                ValueLayout.ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(256, ValueLayout.JAVA_BYTE));

        private static final MethodHandle SYSCALL = handle(
                "syscall",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"));
        private static final MethodHandle STRERROR =
                handle("strerror", FunctionDescriptor.of(TEXT, ValueLayout.JAVA_INT));

        // restricted: both are functions of every C library, with these parameters.
        @SuppressWarnings("restricted")
        private static MethodHandle handle(String name, FunctionDescriptor type, Linker.Option... options) {
            MemorySegment function = LINKER.defaultLookup()
                    .find(name)
                    .orElseThrow(() -> new UnsatisfiedLinkError("no function " + name + " in the C library"));
            return LINKER.downcallHandle(function, type, options);
        }

        static long call(MemorySegment errno, long number, long a, long b, long c, long d, long e, long f) {
            long result;
            try {
                result = (long) SYSCALL.invokeExact(errno, number, a, b, c, d, e, f);
            } catch (Throwable impossible) {
                throw unexpected(impossible);
            }
            return result == -1 ? -(int) ERRNO.get(errno, 0L) : result;
        }

        static String errorText(int error) {
            try {
                return ((MemorySegment) STRERROR.invokeExact(error)).getString(0);
            } catch (Throwable impossible) {
                throw unexpected(impossible);
            }
        }

        // Handles of C functions declare Throwable and throw only what the JVM throws anywhere.
        private static Error unexpected(Throwable thrown) {
            if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
            return thrown instanceof Error error ? error : new AssertionError(thrown);
        }
    }
}
