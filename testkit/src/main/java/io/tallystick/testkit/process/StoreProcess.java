package io.tallystick.testkit.process;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.oracle.StoreWorkload;
import io.tallystick.testkit.process.StoreWire.Method;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store in another process, seen as a store of this one. An {@link Oracle} here can check the states that survive the
 * other process. Any {@link StoreWorkload} can run while that process is killed, starved or given wrong results.
 *
 * <p>The other process runs {@link StoreServer#serve}. A call that was under way when it died has an unknown outcome.
 * Later calls are refused. An answer that it sent before it died counts, even if it is read later. A call that is not
 * answered in time throws an {@link AssertionError} (I12). Any number of threads may call.
 */
public final class StoreProcess implements ObjectStore {
    private final Process process;
    private final DataOutputStream out;
    private final int patienceSeconds;
    private final Map<Long, CompletableFuture<Object>> waiting = new ConcurrentHashMap<>();
    private final AtomicLong lastId = new AtomicLong();
    private final CompletableFuture<Object> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    // Each thread here has its own thread there, so that the other process repeats the same work on the same thread.
    private final AtomicLong lastLane = new AtomicLong();
    private final ThreadLocal<Long> lane = ThreadLocal.withInitial(lastLane::incrementAndGet);
    // Answers to calls up to this one count as unknown.
    private volatile long distrustedUpTo = -1;

    private StoreProcess(Process process, int patienceSeconds) {
        this.process = process;
        this.out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
        this.patienceSeconds = patienceSeconds;
        waiting.put(StoreWire.OPENED, opened);
        Thread reader = new Thread(this::readAnswers, "store-process-reader");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * The store of a process that was just started, once it is open.
     *
     * @param process the process; this object takes its standard input and output
     * @param patienceSeconds a call that takes longer counts as a hang, seconds
     * @throws StoreException the store refused to open, or the process died
     */
    public static StoreProcess of(Process process, int patienceSeconds) {
        StoreProcess store = new StoreProcess(process, patienceSeconds);
        try {
            store.await(store.opened, "opening");
        } catch (OutcomeUnknownException died) {
            throw new StoreFailedException("the process ended before its store was open", died);
        }
        return store;
    }

    /** The process itself. */
    public Process process() {
        return process;
    }

    /** Kills the process, as {@code kill -9} does, and waits until all its answers are read. */
    public void kill() {
        process.toHandle().descendants().forEach(ProcessHandle::destroyForcibly);
        process.toHandle().destroyForcibly();
        awaitEnd();
    }

    /** Waits until the process has ended and all its answers are read. */
    public void awaitEnd() {
        try {
            ended.get(patienceSeconds, TimeUnit.SECONDS);
            if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
                throw new AssertionError("the process does not end");
            }
        } catch (TimeoutException stuck) {
            throw new AssertionError("the process does not end", stuck);
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the end of a process", interrupted);
        }
    }

    /**
     * Answers that arrive from now on count as unknown. Call this before a disaster whose exact moment is not known,
     * such as a power cut.
     */
    public void distrust() {
        distrustedUpTo = Long.MAX_VALUE;
    }

    /** The disaster has happened: answers to calls that begin from now on count again. */
    public void trustNewCalls() {
        distrustedUpTo = lastId.get();
    }

    /** Whether the process still runs. */
    public boolean isAlive() {
        return !ended.isDone();
    }

    @Override
    public void write(StateKey key, byte[] state, Durability durability) {
        call(Method.WRITE, key, null, state, durability);
    }

    @Override
    public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
        return send(Method.WRITE_ASYNC, key, null, state, null).thenApply(nothing -> null);
    }

    @Override
    public boolean remove(StateKey key, Durability durability) {
        return (boolean) call(Method.REMOVE, key, null, null, durability);
    }

    @Override
    public void force() {
        call(Method.FORCE, null, null, null, null);
    }

    @Override
    public void proveOwned() {
        call(Method.PROVE_OWNED, null, null, null, null);
    }

    @Override
    public void writeShadow(StateKey key, byte[] state, Durability durability) {
        call(Method.WRITE_SHADOW, key, null, state, durability);
    }

    @Override
    public Optional<byte[]> readShadow(StateKey key) {
        return Optional.ofNullable((byte[]) call(Method.READ_SHADOW, key, null, null, null));
    }

    @Override
    public boolean commitShadow(StateKey key, Durability durability) {
        return (boolean) call(Method.COMMIT_SHADOW, key, null, null, durability);
    }

    @Override
    public boolean discardShadow(StateKey key, Durability durability) {
        return (boolean) call(Method.DISCARD_SHADOW, key, null, null, durability);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Set<String> types() {
        return (Set<String>) call(Method.TYPES, null, null, null, null);
    }

    @Override
    @SuppressWarnings("unchecked")
    public List<StateKey> keys(String type) {
        return (List<StateKey>) call(Method.KEYS, null, type, null, null);
    }

    @Override
    public Optional<byte[]> read(StateKey key) {
        return Optional.ofNullable((byte[]) call(Method.READ, key, null, null, null));
    }

    @Override
    public StateStatus statusOf(StateKey key) {
        return (StateStatus) call(Method.STATUS, key, null, null, null);
    }

    @Override
    public boolean hide(StateKey key) {
        return (boolean) call(Method.HIDE, key, null, null, null);
    }

    @Override
    public boolean reveal(StateKey key) {
        return (boolean) call(Method.REVEAL, key, null, null, null);
    }

    /**
     * Not available across processes.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public StoreDescription description() {
        throw new UnsupportedOperationException("the description stays in the other process");
    }

    /**
     * Not available across processes.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public StoreStatistics statistics() {
        throw new UnsupportedOperationException("statistics stay in the other process");
    }

    @Override
    public Optional<StoreException> failure() {
        if (!isAlive()) {
            return Optional.of(dead(null));
        }
        try {
            return Optional.ofNullable((StoreException) call(Method.FAILURE, null, null, null, null));
        } catch (OutcomeUnknownException | StoreFailedException died) {
            return Optional.of(died);
        }
    }

    /** Closes the store, and lets its process end. */
    @Override
    public void close() {
        if (!isAlive()) {
            return;
        }
        try {
            call(Method.CLOSE, null, null, null, null);
        } finally {
            endInput();
            awaitEnd();
        }
    }

    private Object call(Method method, StateKey key, String type, byte[] state, Durability durability) {
        return await(send(method, key, type, state, durability), method);
    }

    private CompletableFuture<Object> send(
            Method method, StateKey key, String type, byte[] state, Durability durability) {
        long id = lastId.incrementAndGet();
        CompletableFuture<Object> answer = new CompletableFuture<>();
        if (!isAlive()) {
            throw dead(null);
        }
        waiting.put(id, answer);
        synchronized (out) {
            try {
                new StoreWire.Request(id, lane.get(), method, key, type, state, durability).writeTo(out);
            } catch (IOException died) {
                // a part of it may have gone through
                answer.completeExceptionally(unknown(died));
            }
        }
        if (!isAlive()) {
            answer.completeExceptionally(unknown(null));
        }
        return answer;
    }

    private Object await(CompletableFuture<Object> answer, Object what) {
        boolean interrupted = false;
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
        try {
            while (true) {
                try {
                    return answer.get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    interrupted = true;
                } catch (TimeoutException hangs) {
                    throw new AssertionError(
                            "I12 liveness violated: " + what + " is not answered within " + patienceSeconds + " s",
                            hangs);
                } catch (ExecutionException failed) {
                    throw failed.getCause() instanceof RuntimeException told
                            ? told
                            : new CompletionException(failed.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void readAnswers() {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
            while (true) {
                StoreWire.Answer answer = StoreWire.Answer.readFrom(in);
                CompletableFuture<Object> caller = waiting.remove(answer.id());
                if (answer.id() <= distrustedUpTo && caller != null) {
                    caller.completeExceptionally(unknown(null));
                } else if (answer.thrown() != null) {
                    caller.completeExceptionally(answer.thrown());
                } else {
                    caller.complete(answer.value());
                }
            }
        } catch (IOException died) {
            ended.complete(null);
            waiting.values().forEach(caller -> caller.completeExceptionally(unknown(died)));
        }
    }

    private void endInput() {
        synchronized (out) {
            try {
                out.close();
            } catch (IOException died) {
                // it reads no more
            }
        }
    }

    private static OutcomeUnknownException unknown(Throwable cause) {
        return new OutcomeUnknownException("the process of the store ended during the call", cause);
    }

    private static StoreFailedException dead(Throwable cause) {
        return new StoreFailedException("the process of the store has ended", cause);
    }
}
