package io.tallystick.testkit.process;

import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.oracle.StoreCall;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * The child's end of a {@link StoreProcess}: opens a store and serves requests until the input ends or the process
 * dies. Each thread that calls in the parent has a thread of its own here.
 */
public final class StoreServer {
    private final ObjectStore store;
    private final DataOutputStream out;

    private StoreServer(ObjectStore store, DataOutputStream out) {
        this.store = store;
        this.out = out;
    }

    /**
     * Serves the process' standard input and output, and returns when the input ends. Everything else that the process
     * prints goes to standard error.
     *
     * @param opener opens the store; its exception is sent to the other end
     */
    public static void serve(Supplier<ObjectStore> opener) throws IOException {
        System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        serve(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out), opener);
    }

    static void serve(InputStream requests, OutputStream answers, Supplier<ObjectStore> opener) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(requests));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(answers));
        ObjectStore store;
        try {
            store = opener.get();
        } catch (RuntimeException refused) {
            new StoreWire.Answer(StoreWire.OPENED, null, refused).writeTo(out);
            return;
        }
        StoreServer server = new StoreServer(store, out);
        server.send(new StoreWire.Answer(StoreWire.OPENED, null, null));
        server.serve(in);
    }

    private void serve(DataInputStream in) throws IOException {
        Map<Long, ExecutorService> lanes = new HashMap<>();
        try {
            while (true) {
                StoreWire.Request request = StoreWire.Request.readFrom(in);
                lanes.computeIfAbsent(request.lane(), StoreServer::thread).execute(() -> answer(request));
            }
        } catch (EOFException ended) {
            // the other end is done
        } finally {
            lanes.values().forEach(ExecutorService::shutdown);
        }
    }

    private static ExecutorService thread(long lane) {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "store-server-" + lane);
            thread.setDaemon(true);
            return thread;
        });
    }

    private void answer(StoreWire.Request request) {
        StoreWire.Answer answer;
        try {
            answer = new StoreWire.Answer(request.id(), StoreWire.unwrapped(perform(request)), null);
        } catch (RuntimeException thrown) {
            answer = new StoreWire.Answer(request.id(), null, thrown);
        } catch (Error broken) {
            answer = new StoreWire.Answer(request.id(), null, new IllegalStateException(broken.toString(), broken));
        }
        send(answer);
    }

    private Object perform(StoreWire.Request request) {
        return switch (request.method()) {
            case WRITE -> done(() -> store.write(request.key(), request.state(), request.durability()));
            case WRITE_ASYNC -> done(() -> StoreCall.await(store.writeAsync(request.key(), request.state())));
            case REMOVE -> store.remove(request.key(), request.durability());
            case FORCE -> done(store::force);
            case WRITE_SHADOW -> done(() -> store.writeShadow(request.key(), request.state(), request.durability()));
            case READ_SHADOW -> store.readShadow(request.key());
            case COMMIT_SHADOW -> store.commitShadow(request.key(), request.durability());
            case DISCARD_SHADOW -> store.discardShadow(request.key(), request.durability());
            case TYPES -> store.types();
            case KEYS -> store.keys(request.type());
            case READ -> store.read(request.key());
            case STATUS -> store.statusOf(request.key());
            case HIDE -> store.hide(request.key());
            case REVEAL -> store.reveal(request.key());
            case FAILURE -> store.failure();
            case PROVE_OWNED -> done(store::proveOwned);
            case CLOSE -> done(store::close);
        };
    }

    private static Object done(Runnable action) {
        action.run();
        return null;
    }

    private void send(StoreWire.Answer answer) {
        synchronized (out) {
            try {
                answer.writeTo(out);
            } catch (IOException parentIsGone) {
                // the parent reads no more answers
            }
        }
    }
}
