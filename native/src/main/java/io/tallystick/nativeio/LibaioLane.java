package io.tallystick.nativeio;

import io.tallystick.storage.SystemErrorException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.apache.activemq.artemis.nativo.jlibaio.LibaioContext;
import org.apache.activemq.artemis.nativo.jlibaio.SubmitInfo;

/**
 * One write at a time through a {@code LibaioContext} with room for one request. The writing thread submits the request
 * and then waits for it in the kernel, so no thread hands anything to another.
 *
 * <p>The library reports failed requests. But a request that wrote half of its bytes counts as good, and the library
 * hides the count. So this class reads the count in the kernel's completion, {@code struct io_event}. Its address is in
 * the library's own record of the context, {@code struct io_control}, which is the buffer of the context. {@code
 * /proc/self/mem} gives the bytes at an address, and an error instead of a crash for a bad address. The record must
 * have the known size and room. Each completion must be that of this lane's one request. So a library with another
 * layout is refused.
 */
final class LibaioLane implements Lane {
    private static final Path OWN_MEMORY = Path.of("/proc/self/mem");
    // struct io_control
    private static final int CONTROL_BYTES = 128;
    private static final int CONTROL_EVENTS = 8;
    private static final int CONTROL_REQUESTS = 104;
    private static final int CONTROL_QUEUE_SIZE = 112;
    // struct io_event
    private static final int EVENT_BYTES = 32;
    private static final int EVENT_REQUEST = 8;
    private static final int EVENT_RESULT = 16;
    private static final int QUEUE_SIZE = 1;
    private static final int EINTR = 4;
    // A signal may cut a wait short; this many in one write do not happen.
    private static final int MAX_INTERRUPTED_POLLS = 1_000;

    private final LibaioContext<Request> context;
    private final RandomAccessFile ownMemory;
    private final long eventAddress;
    private final long requestAddress;
    private final Request[] finished = new Request[QUEUE_SIZE];
    // Set while the kernel may read the request's buffer; for good if it is unknown whether it still reads.
    private Request inFlight;

    private LibaioLane(LibaioContext<Request> context, RandomAccessFile ownMemory) throws IOException {
        this.context = context;
        this.ownMemory = ownMemory;
        ByteBuffer control = controlOf(context);
        eventAddress = control.getLong(CONTROL_EVENTS);
        requestAddress = read(control.getLong(CONTROL_REQUESTS), Long.BYTES).getLong(0);
    }

    static LibaioLane open() throws IOException {
        LibaioContext<Request> context = openContext();
        try {
            // Not a channel: an interrupt would close it.
            RandomAccessFile ownMemory = new RandomAccessFile(OWN_MEMORY.toString(), "r");
            try {
                return new LibaioLane(context, ownMemory);
            } catch (IOException | RuntimeException failed) {
                ownMemory.close();
                throw failed;
            }
        } catch (IOException | RuntimeException failed) {
            context.close();
            throw failed;
        }
    }

    @Override
    public int write(Descriptor file, ByteBuffer source, long position) throws IOException {
        ByteBuffer bytes = source.slice();
        Request request = new Request(bytes);
        // Throws the error of io_submit; then nothing is in flight.
        context.submitWrite(file.number(), position, bytes.remaining(), bytes, request);
        inFlight = request;
        awaitCompletion(request);
        inFlight = null;
        return request.resultIn(read(eventAddress, EVENT_BYTES), requestAddress);
    }

    @Override
    public boolean isIdle() {
        return inFlight == null;
    }

    @Override
    public void close() throws IOException {
        try (ownMemory) {
            // Throws an IOException, which it does not declare, if the kernel refuses its last request.
            context.close();
        }
    }

    private void awaitCompletion(Request request) throws IOException {
        for (int attempt = 0; attempt < MAX_INTERRUPTED_POLLS; attempt++) {
            int count = context.poll(finished, 1, QUEUE_SIZE);
            if (count == 1 && finished[0] == request) {
                finished[0] = null;
                return;
            }
            if (count != -EINTR) {
                throw new IOException("io_getevents answered " + count
                        + ", so the outcome of this write is unknown. Close the file and look at the system's log");
            }
        }
        throw new IOException("signals cut the wait for the disk short " + MAX_INTERRUPTED_POLLS
                + " times, so the outcome of this write is unknown. Find the program that signals this process");
    }

    private ByteBuffer read(long address, int length) throws IOException {
        byte[] bytes = new byte[length];
        ownMemory.seek(address);
        ownMemory.readFully(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    private static LibaioContext<Request> openContext() throws IOException {
        try {
            return new LibaioContext<>(QUEUE_SIZE, false, false);
        } catch (RuntimeException refused) {
            throw new IOException(
                    "io_setup failed: " + refused.getMessage() + ". " + KernelLimits.aioRemedy(), refused);
        }
    }

    private static ByteBuffer controlOf(LibaioContext<Request> context) throws IOException {
        ByteBuffer control;
        try {
            Field field = LibaioContext.class.getDeclaredField("ioContext");
            field.setAccessible(true);
            control = ((ByteBuffer) field.get(context)).duplicate().order(ByteOrder.nativeOrder());
        } catch (ReflectiveOperationException | RuntimeException refused) {
            throw new IOException(
                    "the context of " + LibaioContext.class.getName() + " cannot be read: " + refused, refused);
        }
        if (control.capacity() != CONTROL_BYTES || control.getInt(CONTROL_QUEUE_SIZE) != QUEUE_SIZE) {
            throw new IOException(
                    "the native library that " + LibaioContext.class.getName() + " has loaded is not that of"
                            + " activemq-artemis-native 2.0.0: its record of a context has " + control.capacity()
                            + " bytes. Look at java.library.path");
        }
        return control;
    }

    /** One write, from its submission to its result. */
    private static final class Request implements SubmitInfo {
        // The kernel reads it until the request has finished.
        private final ByteBuffer bytes;
        private int error;
        private String errorMessage;

        Request(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public void onError(int error, String message) {
            this.error = error;
            this.errorMessage = message;
        }

        @Override
        public void done() {
            // Only another way to poll calls this.
        }

        int resultIn(ByteBuffer event, long requestAddress) throws IOException {
            if (error != 0) {
                throw new SystemErrorException(errorMessage + " (error " + error + ")", Math.abs(error));
            }
            long request = event.getLong(EVENT_REQUEST);
            long result = event.getLong(EVENT_RESULT);
            if (request != requestAddress || result < 0 || result > bytes.remaining()) {
                throw new IOException("the kernel says that it wrote " + result + " of " + bytes.remaining()
                        + " bytes, for the request at " + request + " while " + requestAddress + " was in flight");
            }
            return (int) result;
        }
    }
}
