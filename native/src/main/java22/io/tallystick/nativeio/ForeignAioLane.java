package io.tallystick.nativeio;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * One write at a time through an AIO context of its own. The writing thread submits the request, with {@code RWF_DSYNC}
 * on it, and waits for its event in the kernel.
 *
 * <p>The structures are those of {@code linux/aio_abi.h}, little-endian.
 */
final class ForeignAioLane implements Lane {
    // struct iocb
    private static final long IOCB_BYTES = 64;
    private static final long IOCB_DATA = 0;
    private static final long IOCB_RW_FLAGS = 12;
    private static final long IOCB_OPCODE = 16;
    private static final long IOCB_FILE = 20;
    private static final long IOCB_BUFFER = 24;
    private static final long IOCB_LENGTH = 32;
    private static final long IOCB_OFFSET = 40;
    private static final short OPCODE_PWRITE = 1;
    private static final int RWF_DSYNC = 2;

    // struct io_event
    private static final long EVENT_BYTES = 32;
    private static final long EVENT_DATA = 0;
    private static final long EVENT_RESULT = 16;

    // struct timespec
    private static final long TIMESPEC_BYTES = 16;
    private static final long TIMESPEC_NANOS = 8;

    private final Architecture architecture = Architecture.current().orElseThrow();
    private final MemorySegment errno;
    private final MemorySegment iocb;
    private final MemorySegment iocbs;
    private final MemorySegment event;
    private final MemorySegment timeout;
    private final long context;
    private long writes;
    // Set while the kernel may read the buffer; for good if it is unknown whether it still reads.
    private ByteBuffer inFlight;

    private ForeignAioLane(Arena arena, MemorySegment errno, long context) {
        this.errno = errno;
        this.context = context;
        iocb = arena.allocate(IOCB_BYTES, Long.BYTES);
        iocbs = arena.allocate(ValueLayout.JAVA_LONG);
        event = arena.allocate(EVENT_BYTES, Long.BYTES);
        timeout = arena.allocate(TIMESPEC_BYTES, Long.BYTES);
        iocb.set(ValueLayout.JAVA_SHORT, IOCB_OPCODE, OPCODE_PWRITE);
        iocb.set(ValueLayout.JAVA_INT, IOCB_RW_FLAGS, RWF_DSYNC);
        iocbs.set(ValueLayout.JAVA_LONG, 0, iocb.address());
    }

    static ForeignAioLane open() throws IOException {
        // Not closed by hand: the kernel may write to a lane that was abandoned, and that stays reachable.
        Arena arena = Arena.ofAuto();
        MemorySegment errno = arena.allocate(Kernel.ERRNO_BYTES, Long.BYTES);
        MemorySegment context = arena.allocate(ValueLayout.JAVA_LONG);
        long result = Kernel.call(errno, Architecture.current().orElseThrow().ioSetup, 1, context.address());
        if (result < 0) {
            throw new IOException("io_setup failed: " + Kernel.errorText(-result) + ". " + KernelLimits.aioRemedy());
        }
        return new ForeignAioLane(arena, errno, context.get(ValueLayout.JAVA_LONG, 0));
    }

    @Override
    public int write(Descriptor file, ByteBuffer source, long position) throws IOException {
        int length = source.remaining();
        writes++;
        iocb.set(ValueLayout.JAVA_LONG, IOCB_DATA, writes);
        iocb.set(ValueLayout.JAVA_INT, IOCB_FILE, file.number());
        iocb.set(
                ValueLayout.JAVA_LONG,
                IOCB_BUFFER,
                MemorySegment.ofBuffer(source).address());
        iocb.set(ValueLayout.JAVA_LONG, IOCB_LENGTH, length);
        iocb.set(ValueLayout.JAVA_LONG, IOCB_OFFSET, position);
        inFlight = source;
        long submitted = Kernel.call(errno, architecture.ioSubmit, context, 1, iocbs.address(), 0);
        if (submitted != 1) {
            inFlight = null;
            throw Completion.notSubmitted("io_submit", submitted);
        }
        awaitEvent();
        inFlight = null;
        return Completion.countFrom(event.get(ValueLayout.JAVA_LONG, EVENT_RESULT), length);
    }

    @Override
    public boolean isIdle() {
        return inFlight == null;
    }

    @Override
    public void close() throws IOException {
        long result = Kernel.call(errno, architecture.ioDestroy, context);
        if (result < 0) {
            throw new IOException("io_destroy failed: " + Kernel.errorText(-result));
        }
    }

    private void awaitEvent() throws IOException {
        long deadlineNanos = System.nanoTime() + Completion.PATIENCE.toNanos();
        while (true) {
            setTimeout(deadlineNanos - System.nanoTime());
            event.set(ValueLayout.JAVA_LONG, EVENT_DATA, 0);
            long count =
                    Kernel.call(errno, architecture.ioGetevents, context, 1, 1, event.address(), timeout.address(), 0);
            if (count == 1 && event.get(ValueLayout.JAVA_LONG, EVENT_DATA) == writes) {
                return;
            }
            if (count == 0) {
                throw Completion.tooLate();
            }
            if (count != -Kernel.EINTR) {
                throw Completion.lost("io_getevents", count);
            }
        }
    }

    private void setTimeout(long nanos) {
        long left = Math.max(0, nanos);
        timeout.set(ValueLayout.JAVA_LONG, 0, left / 1_000_000_000);
        timeout.set(ValueLayout.JAVA_LONG, TIMESPEC_NANOS, left % 1_000_000_000);
    }
}
