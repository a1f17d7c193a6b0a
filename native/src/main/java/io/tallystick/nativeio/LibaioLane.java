package io.tallystick.nativeio;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.apache.activemq.artemis.nativo.jlibaio.LibaioContext;
import org.apache.activemq.artemis.nativo.jlibaio.SubmitInfo;

/**
 * One write at a time through a {@code LibaioContext} with room for one request: the writing thread submits the request
 * and then waits for it in the kernel itself, so no thread hands anything to another.
 *
 * <p>The library tells apart failed requests and others, but takes a request that wrote half of its bytes for a good one
 * and keeps the count to itself. So this class reads the count where the library left it. The buffer that stands for the
 * context is the library's own record of it, {@code struct io_control}: its second word is the address of the
 * {@code struct io_event} that the last poll filled in, whose third word is the result. {@code /proc/self/mem} gives what
 * is at an address, and an error rather than a crash for an address that is none. The layout is that of the one library
 * that {@link LibaioLibrary} accepts; a {@link Probe} tries it with writes of two lengths before anything relies on it.
 */
final class LibaioLane implements Lane {
    private static final Path OWN_MEMORY = Path.of("/proc/self/mem");
    private static final int EVENTS_OFFSET = Long.BYTES;
    private static final int EVENT_BYTES = 4 * Long.BYTES;
    private static final int EVENT_REQUEST_OFFSET = Long.BYTES;
    private static final int EVENT_RESULT_OFFSET = 2 * Long.BYTES;
    private static final int EINTR = 4;
    // A signal may cut a wait short; this many in one write do not happen.
    private static final int MAX_INTERRUPTED_POLLS = 1_000;

    private final LibaioContext<Request> context;
    private final RandomAccessFile ownMemory;
    private final long eventAddress;
    private final byte[] eventBytes = new byte[EVENT_BYTES];
    private final ByteBuffer event = ByteBuffer.wrap(eventBytes).order(ByteOrder.nativeOrder());
    private final Request[] finished = new Request[1];
    // Set while the kernel may read the request's buffer, and for good if nobody learnt when it stopped.
    private Request inFlight;

    private LibaioLane(LibaioContext<Request> context, RandomAccessFile ownMemory, long eventAddress) {
        this.context = context;
        this.ownMemory = ownMemory;
        this.eventAddress = eventAddress;
    }

    static LibaioLane open() throws IOException {
        LibaioContext<Request> context = openContext();
        try {
            // Not a channel: an interrupt would close it.
            RandomAccessFile ownMemory = new RandomAccessFile(OWN_MEMORY.toString(), "r");
            return new LibaioLane(context, ownMemory, addressOfEvent(context));
        } catch (IOException | RuntimeException failed) {
            context.close();
            throw failed;
        }
    }

    @Override
    public int write(Descriptor file, ByteBuffer source, long position) throws IOException {
        ByteBuffer bytes = source.slice();
        Request request = new Request(bytes);
        // Throws what io_submit answered; then nothing is in flight.
        context.submitWrite(file.number(), position, bytes.remaining(), bytes, request);
        inFlight = request;
        awaitCompletion(request);
        inFlight = null;
        return request.resultIn(readEvent());
    }

    @Override
    public boolean isIdle() {
        return inFlight == null;
    }

    @Override
    public void close() throws IOException {
        try (ownMemory) {
            // Throws an IOException, which it does not declare, when the kernel does not take its farewell request.
            context.close();
        }
    }

    private void awaitCompletion(Request request) throws IOException {
        for (int attempt = 0; attempt < MAX_INTERRUPTED_POLLS; attempt++) {
            int count = context.poll(finished, 1, 1);
            if (count == 1 && finished[0] == request) {
                finished[0] = null;
                return;
            }
            if (count != -EINTR) {
                throw new IOException("io_getevents answered " + count
                        + " and nobody knows what became of this write. Close the file and look at the system's log");
            }
        }
        throw new IOException("signals cut the wait for the disk short " + MAX_INTERRUPTED_POLLS
                + " times and nobody knows what became of this write. Find out who signals this process");
    }

    private ByteBuffer readEvent() throws IOException {
        ownMemory.seek(eventAddress);
        ownMemory.readFully(eventBytes);
        return event;
    }

    private static LibaioContext<Request> openContext() throws IOException {
        try {
            return new LibaioContext<>(1, false, false);
        } catch (RuntimeException refused) {
            throw new IOException(
                    "io_setup failed: " + refused.getMessage() + ". " + KernelLimits.aioRemedy(), refused);
        }
    }

    private static long addressOfEvent(LibaioContext<Request> context) throws IOException {
        try {
            Field field = LibaioContext.class.getDeclaredField("ioContext");
            field.setAccessible(true);
            ByteBuffer control = (ByteBuffer) field.get(context);
            return control.duplicate().order(ByteOrder.nativeOrder()).getLong(EVENTS_OFFSET);
        } catch (ReflectiveOperationException | RuntimeException refused) {
            throw new IOException(
                    "the context of " + LibaioContext.class.getName() + " cannot be read: " + refused, refused);
        }
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
            // Called by a way to poll that is not used here.
        }

        int resultIn(ByteBuffer event) throws IOException {
            if (error != 0) {
                throw new IOException(errorMessage + " (error " + error + ")");
            }
            long request = event.getLong(EVENT_REQUEST_OFFSET);
            long result = event.getLong(EVENT_RESULT_OFFSET);
            if (request == 0 || result < 0 || result > bytes.remaining()) {
                throw new IOException("the kernel says that it wrote " + result + " of " + bytes.remaining()
                        + " bytes, or this native library is not the known one");
            }
            return (int) result;
        }
    }
}
