package io.tallystick.store.file;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.spi.CauseText;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StateImage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A write whose caller does not wait. It begins on a thread of the store when the operation before it on the key is
 * over. It is carried out once or refused once. An executor that throws may have taken it nevertheless; then the first
 * thread decides.
 *
 * <p>All objects that its end needs are made before it is queued, because later there may be no memory.
 */
final class AsyncWrite implements Runnable, KeyTicket.Successor, StageCompleter.Outcome {
    private final AsyncWriteQueue queue;
    private final TypeDirectory type;
    private final StateKey key;
    private final byte[] state;
    private final StageCompleter.Stage written;
    private final AtomicBoolean isDecided = new AtomicBoolean();

    @SuppressWarnings("NullAway.Init") // queue() sets it, before anything asks for it
    private KeyTicket ticket;

    // Why it failed, or why no thread could be started; written before the stage is given away.
    private @Nullable Throwable failure;
    private boolean isRefused;

    AsyncWrite(AsyncWriteQueue queue, TypeDirectory type, StateKey key, byte[] state, StageCompleter.Stage written) {
        this.queue = queue;
        this.type = type;
        this.key = key;
        this.state = state;
        this.written = written;
    }

    /** Takes the place in the key's queue. Each write of one caller takes it before the next one does. */
    void queue() {
        ticket = type.queue(key.id());
    }

    /** Begins when the operation before it is over. Throws nothing; {@link AsyncWriteQueue#complete} follows. */
    void start() {
        ticket.whenReady(this);
    }

    TypeDirectory type() {
        return type;
    }

    StateKey key() {
        return key;
    }

    KeyTicket ticket() {
        return ticket;
    }

    /** Bytes of the state. */
    int bytes() {
        return state.length;
    }

    StateImage over(StateImage image) {
        return image.write(state);
    }

    @Override
    public KeyTicket.@Nullable Successor begin() {
        try {
            queue.execute(this);
            return null;
        } catch (RuntimeException | Error noThread) {
            return isDecided.compareAndSet(false, true) ? refuse(noThread) : null;
        }
    }

    private KeyTicket.@Nullable Successor refuse(Throwable noThread) {
        failure = noThread;
        isRefused = true;
        try {
            return type.end(key.id(), ticket, ticket.await());
        } finally {
            queue.complete(this, written);
        }
    }

    @Override
    public void run() {
        if (!isDecided.compareAndSet(false, true)) {
            return; // it was refused
        }
        try {
            queue.carryOut(this);
        } catch (Throwable thrown) {
            failure = thrown;
        } finally {
            queue.complete(this, written);
        }
    }

    @Override
    public @Nullable Throwable failure() {
        if (!isRefused) {
            return failure;
        }
        return new StoreIoException(
                "the state of " + key.toPrintable() + " was not written, because no thread could be started ("
                        + CauseText.of(failure) + "); check the process' limits",
                failure);
    }
}
