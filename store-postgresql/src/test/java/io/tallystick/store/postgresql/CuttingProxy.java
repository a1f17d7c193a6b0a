package io.tallystick.store.postgresql;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Stands between a client and a server, cuts a connection at a request that is chosen, or holds everything back. */
final class CuttingProxy implements AutoCloseable {
    /** What becomes of the request at which the connection is cut. */
    enum Cut {
        /** The server never gets it. */
        REQUEST,
        /** The server gets it, and its answer is dropped. */
        ANSWER
    }

    private final ServerSocket listener;
    private final int serverPort;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong requests = new AtomicLong();
    private volatile long cutAt = Long.MAX_VALUE;
    private volatile Cut cut = Cut.ANSWER;
    private volatile String lastRequest;
    private volatile String before;
    private volatile String unfinishedRequest;
    private volatile String rest;
    private volatile String lateRequest;
    private volatile boolean refused;
    // Guarded by this.
    private boolean isLate;
    private boolean isHeld;
    private boolean frozen;
    private boolean answersHeld;

    CuttingProxy(int serverPort) throws IOException {
        this.serverPort = serverPort;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start("proxy", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Cuts at the request that comes after so many others from now on: 0 is the next one. */
    void cutAfter(int others, Cut how) {
        cut = how;
        cutAt = requests.get() + others + 1;
    }

    /** Whether a cut that was asked for is still to come. */
    boolean isArmed() {
        return cutAt != Long.MAX_VALUE;
    }

    /** Holds back what comes from either side, or lets it go. */
    synchronized void freeze(boolean isFrozen) {
        frozen = isFrozen;
        notifyAll();
    }

    /** Holds everything back after a request with this text, as if the client were stopped then. */
    void freezeAfter(String text) {
        lastRequest = text;
    }

    /** The same, after another request with the first text. */
    void freezeAfter(String first, String text) {
        lastRequest = text;
        before = first;
    }

    /** Holds everything back within a request with this text, before the last place of that one in it. */
    void freezeWithin(String text, String from) {
        rest = from;
        unfinishedRequest = text;
    }

    /** Holds one request with this text back, and nothing else. Its client may be gone when it goes on. */
    synchronized void delay(String text) {
        isLate = true;
        lateRequest = text;
    }

    /** Lets the request go that was held back. */
    synchronized void deliver() {
        isLate = false;
        notifyAll();
    }

    /** Whether a request is held back by {@link #delay}. */
    synchronized boolean isHolding() {
        return isHeld;
    }

    /** Ends new connections at once, or no longer. */
    void refuse(boolean isRefused) {
        refused = isRefused;
    }

    private synchronized void awaitDelivery() throws InterruptedException {
        isHeld = isLate;
        while (isLate) {
            wait();
        }
    }

    synchronized void awaitFrozen() throws InterruptedException {
        while (!frozen) {
            wait();
        }
    }

    /** Holds back what comes from the server, so that it gets every request and no answer comes. */
    synchronized void holdAnswers() {
        answersHeld = true;
    }

    /** Ends every connection, and lets answers of later ones go. */
    void cutAll() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
        synchronized (this) {
            answersHeld = false;
            notifyAll();
        }
    }

    private synchronized void awaitThaw(boolean isRequest) throws InterruptedException {
        while (frozen || answersHeld && !isRequest) {
            wait();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (refused) {
                    client.close();
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                open.add(client);
                open.add(server);
                boolean[] isCut = new boolean[1];
                start("proxy-requests", () -> pass(client, server, true, isCut));
                start("proxy-answers", () -> pass(server, client, false, isCut));
            } catch (IOException closedOrServerGone) {
                // a client that got no server is told so by the end of its connection
            }
        }
    }

    private void pass(Socket from, Socket to, boolean isRequest, boolean[] isCut) {
        byte[] bytes = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                awaitThaw(isRequest);
                if (isRequest && requests.incrementAndGet() >= cutAt) {
                    cutAt = Long.MAX_VALUE;
                    if (cut == Cut.REQUEST) {
                        return;
                    }
                    synchronized (isCut) {
                        isCut[0] = true;
                    }
                }
                synchronized (isCut) {
                    if (isCut[0] && !isRequest) {
                        return; // the server has answered: it has done what it was asked
                    }
                }
                String text = isRequest ? new String(bytes, 0, count, ISO_8859_1) : "";
                if (lateRequest != null && text.contains(lateRequest)) {
                    lateRequest = null;
                    awaitDelivery();
                }
                int passed = 0;
                if (unfinishedRequest != null && text.contains(unfinishedRequest)) {
                    unfinishedRequest = null;
                    passed = text.lastIndexOf(rest);
                    out.write(bytes, 0, passed);
                    out.flush();
                    freeze(true);
                    awaitThaw(isRequest);
                }
                out.write(bytes, passed, count - passed);
                out.flush();
                if (before != null && text.contains(before)) {
                    before = null;
                } else if (before == null && lastRequest != null && text.contains(lastRequest)) {
                    lastRequest = null;
                    freeze(true);
                }
            }
            awaitThaw(isRequest); // the end of a connection is held back too
        } catch (IOException | InterruptedException ended) {
            // the other side is closed with this one
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
