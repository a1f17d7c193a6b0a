package io.tallystick.durability.postgresql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The network between a client and a server: it cuts a connection at a chosen request, holds one or both directions
 * back, refuses, or is slow.
 */
final class FaultyProxy implements AutoCloseable {
    private static final int BACKLOG = 100;
    private static final int CHUNK = 1 << 16;
    private static final int MAX_CHUNKS = 1_024;

    private final ServerSocket listener;
    private final int serverPort;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile long delayNanos;

    // All guarded by this.
    private long untilCut = Long.MAX_VALUE;
    private Cut cut = Cut.NOT_SENT;
    private CountDownLatch cutDone = new CountDownLatch(0);
    private boolean requestsHeld;
    private boolean answersHeld;
    private boolean refusing;

    /** What becomes of the request at which a connection ends. */
    enum Cut {
        /** The server gets nothing of it. */
        NOT_SENT,
        /** The server gets half of it. */
        TORN,
        /** The server gets it, and the connection ends while the server works on it. */
        UNANSWERED,
        /** The server answers, and nothing of the answer arrives. */
        ANSWER_LOST,
        /** The server answers, and half of the answer arrives. */
        ANSWER_TORN;

        static final List<Cut> ALL = List.of(values());
    }

    /** The state of one connection; guarded by itself. */
    private static final class Link {
        private Cut answerCut;
    }

    FaultyProxy(int serverPort) throws IOException {
        this.serverPort = serverPort;
        this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Cuts at the request that comes after so many others: 0 is the next one. The latch opens when that is done. */
    synchronized CountDownLatch cutAfter(int others, Cut how) {
        cutDone.countDown();
        untilCut = others;
        cut = how;
        cutDone = new CountDownLatch(1);
        return cutDone;
    }

    /** No cut is wanted any more. Answers whether the chosen request has come. */
    synchronized boolean spare() {
        boolean hasCome = untilCut == Long.MAX_VALUE;
        untilCut = Long.MAX_VALUE;
        cutDone.countDown();
        return hasCome;
    }

    /** Holds back what goes to the server, and what comes from it, or lets it go. */
    synchronized void hold(boolean requests, boolean answers) {
        requestsHeld = requests;
        answersHeld = answers;
        notifyAll();
    }

    /** Ends all connections and every new one at once, or stops doing so. */
    void refuse(boolean isRefusing) throws IOException {
        synchronized (this) {
            refusing = isRefusing;
        }
        if (isRefusing) {
            cutAll();
        }
    }

    /** Delays each direction by this time. */
    void delay(long millis) {
        delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Ends every connection. */
    void cutAll() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
        synchronized (this) {
            notifyAll();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cutAll();
        hold(false, false);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (isRefusing()) {
                    client.close();
                    continue;
                }
                connect(client);
            } catch (IOException closedOrServerGone) {
                // a client that gets no server is told so by the end of its connection
            }
        }
    }

    private synchronized boolean isRefusing() {
        return refusing;
    }

    private void connect(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        } catch (IOException serverGone) {
            client.close();
            throw serverGone;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        open.add(client);
        open.add(server);
        Link link = new Link();
        start(() -> pass(client, server, to -> request(to, link)));
        start(() -> pass(server, client, to -> answer(to, link)));
    }

    /** What is done with some bytes: answers how many of them go on, and whether the connection ends then. */
    private interface Fate {
        Decision of(int count) throws InterruptedException;
    }

    private record Decision(int count, boolean isEnd) {}

    private Decision request(int count, Link link) throws InterruptedException {
        Cut now = null;
        synchronized (this) {
            while (requestsHeld) {
                wait();
            }
            if (untilCut != Long.MAX_VALUE && untilCut-- == 0) {
                untilCut = Long.MAX_VALUE;
                now = cut;
            }
        }
        if (now == null) {
            return new Decision(count, false);
        }
        switch (now) {
            case NOT_SENT -> {
                return ended(0);
            }
            case TORN -> {
                return ended(count / 2);
            }
            case UNANSWERED -> {
                return ended(count);
            }
            default -> {
                synchronized (link) {
                    link.answerCut = now;
                }
                return new Decision(count, false);
            }
        }
    }

    private Decision answer(int count, Link link) throws InterruptedException {
        synchronized (this) {
            while (answersHeld) {
                wait();
            }
        }
        synchronized (link) {
            if (link.answerCut == null) {
                return new Decision(count, false);
            }
            return ended(link.answerCut == Cut.ANSWER_TORN ? count / 2 : 0);
        }
    }

    private Decision ended(int count) {
        synchronized (this) {
            cutDone.countDown();
        }
        return new Decision(count, true);
    }

    /** Some bytes on their way; no bytes at the end of the connection. */
    private record Chunk(byte[] bytes, long dueNanos) {}

    /** Reads at full speed, so that a delay is one of time alone, and no limit of how much passes. */
    private void pass(Socket from, Socket to, Fate fate) {
        BlockingQueue<Chunk> onTheWay = new ArrayBlockingQueue<>(MAX_CHUNKS);
        start(() -> deliver(onTheWay, from, to, fate));
        byte[] bytes = new byte[CHUNK];
        try {
            InputStream in = from.getInputStream();
            int count = in.read(bytes);
            while (count > 0) {
                onTheWay.put(new Chunk(Arrays.copyOf(bytes, count), System.nanoTime() + delayNanos));
                count = in.read(bytes);
            }
        } catch (IOException | InterruptedException ended) {
            // what has come is still delivered
        }
        try {
            while (!onTheWay.offer(new Chunk(new byte[0], System.nanoTime()), 1, TimeUnit.SECONDS) && !to.isClosed()) {
                // the other thread is slow
            }
        } catch (InterruptedException ended) {
            // nobody interrupts it
        }
    }

    private void deliver(BlockingQueue<Chunk> onTheWay, Socket from, Socket to, Fate fate) {
        try (from;
                to) {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = onTheWay.take(); chunk.bytes.length > 0; chunk = onTheWay.take()) {
                for (long left = chunk.dueNanos - System.nanoTime();
                        left > 0;
                        left = chunk.dueNanos - System.nanoTime()) {
                    LockSupport.parkNanos(this, left);
                }
                Decision decision = fate.of(chunk.bytes.length);
                out.write(chunk.bytes, 0, decision.count);
                out.flush();
                if (decision.isEnd) {
                    return;
                }
            }
        } catch (IOException | InterruptedException ended) {
            // the other side is closed with this one
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "faulty-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
