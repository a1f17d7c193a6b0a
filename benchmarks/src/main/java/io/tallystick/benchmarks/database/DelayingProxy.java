package io.tallystick.benchmarks.database;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A network that takes longer: passes the bytes of connections on, each half of the added round trip later. It does not
 * limit how many bytes are under way.
 */
final class DelayingProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 * 1024;

    private final ServerSocket server;
    private final int target;
    private final long delayNanos;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private DelayingProxy(ServerSocket server, int target, long delayNanos) {
        this.server = server;
        this.target = target;
        this.delayNanos = delayNanos;
    }

    /**
     * Begins to take connections.
     *
     * @param target port on this machine
     * @param addedMillis added to a round trip
     */
    static DelayingProxy open(int target, int addedMillis) throws IOException {
        ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        DelayingProxy proxy = new DelayingProxy(server, target, TimeUnit.MILLISECONDS.toNanos(addedMillis) / 2);
        start("proxy-accept", proxy::accept);
        return proxy;
    }

    int port() {
        return server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Socket other = new Socket(InetAddress.getLoopbackAddress(), target);
                for (Socket socket : Set.of(client, other)) {
                    socket.setTcpNoDelay(true);
                    sockets.add(socket);
                }
                pass(client, other);
                pass(other, client);
            } catch (IOException closedOrRefused) { // the client sees that its connection ends
            }
        }
    }

    private record Chunk(byte[] bytes, long dueNanos) {}

    private void pass(Socket from, Socket to) {
        LinkedBlockingQueue<Chunk> underWay = new LinkedBlockingQueue<>();
        start("proxy-read", () -> {
            byte[] buffer = new byte[CHUNK_BYTES];
            try (InputStream in = from.getInputStream()) {
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    byte[] bytes = java.util.Arrays.copyOf(buffer, length);
                    underWay.add(new Chunk(bytes, System.nanoTime() + delayNanos));
                }
            } catch (IOException broken) { // the end, below
            }
            underWay.add(new Chunk(new byte[0], System.nanoTime() + delayNanos));
        });
        start("proxy-write", () -> {
            try (OutputStream out = to.getOutputStream()) {
                for (Chunk chunk = underWay.take(); chunk.bytes().length > 0; chunk = underWay.take()) {
                    awaitTime(chunk.dueNanos());
                    out.write(chunk.bytes());
                }
            } catch (IOException | InterruptedException broken) { // the other side sees the end
            }
            sockets.remove(to);
        });
    }

    private static void awaitTime(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
