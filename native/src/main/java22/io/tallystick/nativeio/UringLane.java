package io.tallystick.nativeio;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * One write at a time through a ring of its own. The writing thread puts the write, with {@code RWF_DSYNC} on it, into
 * the submission queue. One system call submits it and waits for the entry in the completion queue.
 *
 * <p>Each queue has a head and a tail. The side that takes an entry moves the head, and the side that adds one moves
 * the tail. An entry is written before the tail is set with release, and read after the tail was read with acquire. The
 * same holds for the head, so that neither side reuses an entry that is still being read. The structures are those of
 * {@code linux/io_uring.h}, little-endian.
 */
final class UringLane implements Lane {
    // struct io_uring_params: the kernel's features, and the offsets in the mapped memory.
    private static final long PARAMS_BYTES = 120;
    private static final long PARAMS_SQ_ENTRIES = 0;
    private static final long PARAMS_CQ_ENTRIES = 4;
    private static final long PARAMS_FEATURES = 20;
    private static final long PARAMS_SQ_HEAD = 40;
    private static final long PARAMS_SQ_TAIL = 44;
    private static final long PARAMS_SQ_MASK = 48;
    private static final long PARAMS_SQ_ARRAY = 64;
    private static final long PARAMS_CQ_HEAD = 80;
    private static final long PARAMS_CQ_TAIL = 84;
    private static final long PARAMS_CQ_MASK = 88;
    private static final long PARAMS_CQ_CQES = 100;
    private static final int FEATURE_SINGLE_MMAP = 1;
    private static final int FEATURE_ENTER_TIMEOUT = 1 << 8;

    // mmap
    private static final long OFFSET_RINGS = 0;
    private static final long OFFSET_SQES = 0x1000_0000;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED_POPULATE = 0x8001;

    // struct io_uring_sqe
    private static final long SQE_BYTES = 64;
    private static final long SQE_OPCODE = 0;
    private static final long SQE_FILE = 4;
    private static final long SQE_OFFSET = 8;
    private static final long SQE_BUFFER = 16;
    private static final long SQE_LENGTH = 24;
    private static final long SQE_RW_FLAGS = 28;
    private static final long SQE_USER_DATA = 32;
    private static final byte OPCODE_WRITE = 23;
    private static final int RWF_DSYNC = 2;

    // struct io_uring_cqe
    private static final long CQE_BYTES = 16;
    private static final long CQE_USER_DATA = 0;
    private static final long CQE_RESULT = 8;

    // io_uring_enter: wait, for a time that struct io_uring_getevents_arg points to
    private static final int ENTER_GETEVENTS = 1;
    private static final int ENTER_EXT_ARG = 8;
    private static final long WAIT_BYTES = 24;
    private static final long WAIT_TIMEOUT_ADDRESS = 16;
    private static final long TIMESPEC_BYTES = 16;
    private static final long TIMESPEC_NANOS = 8;

    private static final VarHandle INDEX = ValueLayout.JAVA_INT.varHandle();

    private final Architecture architecture = Architecture.current().orElseThrow();
    private final MemorySegment errno;
    private final MemorySegment wait;
    private final MemorySegment timeout;
    private final int ring;
    private final MemorySegment rings;
    private final MemorySegment sqes;
    private final long sqHead;
    private final long sqTail;
    private final int sqMask;
    private final long sqArray;
    private final long cqHead;
    private final long cqTail;
    private final int cqMask;
    private final long cqes;
    private long writes;
    // Set while the kernel may read the buffer; for good if it is unknown whether it still reads.
    private ByteBuffer inFlight;

    private UringLane(
            Arena arena, MemorySegment errno, MemorySegment params, int ring, MemorySegment rings, MemorySegment sqes) {
        this.errno = errno;
        this.ring = ring;
        this.rings = rings;
        this.sqes = sqes;
        timeout = arena.allocate(TIMESPEC_BYTES, Long.BYTES);
        wait = arena.allocate(WAIT_BYTES, Long.BYTES);
        wait.set(ValueLayout.JAVA_LONG, WAIT_TIMEOUT_ADDRESS, timeout.address());
        sqHead = intAt(params, PARAMS_SQ_HEAD);
        sqTail = intAt(params, PARAMS_SQ_TAIL);
        sqMask = intAt(rings, intAt(params, PARAMS_SQ_MASK));
        sqArray = intAt(params, PARAMS_SQ_ARRAY);
        cqHead = intAt(params, PARAMS_CQ_HEAD);
        cqTail = intAt(params, PARAMS_CQ_TAIL);
        cqMask = intAt(rings, intAt(params, PARAMS_CQ_MASK));
        cqes = intAt(params, PARAMS_CQ_CQES);
    }

    static UringLane open() throws IOException {
        // Not closed by hand: the kernel may write to a lane that was abandoned, and that stays reachable.
        Arena arena = Arena.ofAuto();
        MemorySegment errno = arena.allocate(Kernel.ERRNO_BYTES, Long.BYTES);
        MemorySegment params = arena.allocate(PARAMS_BYTES, Long.BYTES);
        long ring = Kernel.call(errno, Architecture.IO_URING_SETUP, 1, params.address());
        if (ring < 0) {
            throw new IOException(
                    "io_uring_setup failed: " + Kernel.errorText(-ring) + ". " + KernelLimits.uringRemedy());
        }
        try {
            return map(arena, errno, params, (int) ring);
        } catch (IOException failed) {
            Kernel.call(errno, Architecture.current().orElseThrow().close, ring);
            throw failed;
        }
    }

    @Override
    public int write(Descriptor file, ByteBuffer source, long position) throws IOException {
        int length = source.remaining();
        writes++;
        inFlight = source;
        int tail = addEntry(file.number(), MemorySegment.ofBuffer(source).address(), length, position);
        long deadlineNanos = System.nanoTime() + Completion.PATIENCE.toNanos();
        long result;
        do {
            result = enter(1, deadlineNanos);
        } while (result == -Kernel.EINTR && isStillQueued(tail) && System.nanoTime() - deadlineNanos < 0);
        if (isStillQueued(tail)) {
            takeEntryBack(tail);
            inFlight = null;
            throw Completion.notSubmitted("io_uring_enter", result);
        }
        while (!hasCompletion()) {
            if (System.nanoTime() - deadlineNanos >= 0) {
                throw Completion.tooLate();
            }
            result = enter(0, deadlineNanos);
            if (result < 0 && result != -Kernel.EINTR && result != -Kernel.ETIME) {
                throw Completion.lost("io_uring_enter", result);
            }
        }
        int outcome = takeCompletion();
        inFlight = null;
        return Completion.countFrom(outcome, length);
    }

    @Override
    public boolean isIdle() {
        return inFlight == null;
    }

    @Override
    public void close() throws IOException {
        Kernel.call(errno, architecture.munmap, rings.address(), rings.byteSize());
        Kernel.call(errno, architecture.munmap, sqes.address(), sqes.byteSize());
        long result = Kernel.call(errno, architecture.close, ring);
        if (result < 0 && result != -Kernel.EINTR) {
            throw new IOException("closing a ring failed: " + Kernel.errorText(-result));
        }
    }

    private static UringLane map(Arena arena, MemorySegment errno, MemorySegment params, int ring) throws IOException {
        int features = intAt(params, PARAMS_FEATURES);
        if ((features & FEATURE_SINGLE_MMAP) == 0 || (features & FEATURE_ENTER_TIMEOUT) == 0) {
            throw new IOException(
                    "the kernel's io_uring is older than Linux 5.11. Use tallystick.journal.io=aio or direct");
        }
        int sqEntries = intAt(params, PARAMS_SQ_ENTRIES);
        long ringBytes = Math.max(
                intAt(params, PARAMS_SQ_ARRAY) + (long) sqEntries * Integer.BYTES,
                intAt(params, PARAMS_CQ_CQES) + intAt(params, PARAMS_CQ_ENTRIES) * CQE_BYTES);
        MemorySegment rings = map(errno, ring, OFFSET_RINGS, ringBytes);
        try {
            MemorySegment sqes = map(errno, ring, OFFSET_SQES, sqEntries * SQE_BYTES);
            return new UringLane(arena, errno, params, ring, rings, sqes);
        } catch (IOException failed) {
            Kernel.call(errno, Architecture.current().orElseThrow().munmap, rings.address(), rings.byteSize());
            throw failed;
        }
    }

    private static MemorySegment map(MemorySegment errno, int ring, long offset, long bytes) throws IOException {
        long address = Kernel.call(
                errno,
                Architecture.current().orElseThrow().mmap,
                0,
                bytes,
                PROT_READ_WRITE,
                MAP_SHARED_POPULATE,
                ring,
                offset);
        // The kernel's errors are the last 4095 numbers below zero.
        if (address < 0 && address >= -4095) {
            throw new IOException("mapping a ring failed: " + Kernel.errorText(-address));
        }
        return Kernel.memoryAt(address, bytes);
    }

    /** Adds the write to the submission queue and returns the tail before. */
    private int addEntry(int file, long address, int length, long position) {
        int tail = rings.get(ValueLayout.JAVA_INT, sqTail);
        int index = tail & sqMask;
        long sqe = index * SQE_BYTES;
        sqes.set(ValueLayout.JAVA_BYTE, sqe + SQE_OPCODE, OPCODE_WRITE);
        sqes.set(ValueLayout.JAVA_INT, sqe + SQE_FILE, file);
        sqes.set(ValueLayout.JAVA_LONG, sqe + SQE_OFFSET, position);
        sqes.set(ValueLayout.JAVA_LONG, sqe + SQE_BUFFER, address);
        sqes.set(ValueLayout.JAVA_INT, sqe + SQE_LENGTH, length);
        sqes.set(ValueLayout.JAVA_INT, sqe + SQE_RW_FLAGS, RWF_DSYNC);
        sqes.set(ValueLayout.JAVA_LONG, sqe + SQE_USER_DATA, writes);
        rings.set(ValueLayout.JAVA_INT, sqArray + (long) index * Integer.BYTES, index);
        INDEX.setRelease(rings, sqTail, tail + 1);
        return tail;
    }

    private boolean isStillQueued(int tail) {
        return (int) INDEX.getAcquire(rings, sqHead) == tail;
    }

    /** The kernel looks at the queue only while it is entered, so an entry that it has not taken is still ours. */
    private void takeEntryBack(int tail) {
        INDEX.setRelease(rings, sqTail, tail);
    }

    private long enter(int toSubmit, long deadlineNanos) {
        long leftNanos = Math.max(0, deadlineNanos - System.nanoTime());
        timeout.set(ValueLayout.JAVA_LONG, 0, leftNanos / 1_000_000_000);
        timeout.set(ValueLayout.JAVA_LONG, TIMESPEC_NANOS, leftNanos % 1_000_000_000);
        return Kernel.call(
                errno,
                Architecture.IO_URING_ENTER,
                ring,
                toSubmit,
                1,
                ENTER_GETEVENTS | ENTER_EXT_ARG,
                wait.address(),
                WAIT_BYTES);
    }

    private boolean hasCompletion() {
        return (int) INDEX.getAcquire(rings, cqTail) != rings.get(ValueLayout.JAVA_INT, cqHead);
    }

    private int takeCompletion() throws IOException {
        int head = rings.get(ValueLayout.JAVA_INT, cqHead);
        long cqe = cqes + (head & cqMask) * CQE_BYTES;
        long userData = rings.get(ValueLayout.JAVA_LONG, cqe + CQE_USER_DATA);
        int result = intAt(rings, cqe + CQE_RESULT);
        INDEX.setRelease(rings, cqHead, head + 1);
        if (userData != writes) {
            throw Completion.lost("io_uring_enter", 0);
        }
        return result;
    }

    private static int intAt(MemorySegment segment, long offset) {
        return segment.get(ValueLayout.JAVA_INT, offset);
    }
}
