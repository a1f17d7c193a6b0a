package io.tallystick.durability.postgresql;

import io.tallystick.durability.postgresql.PostgresServer.End;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A primary and a synchronous standby, which change their roles when one of them dies. Either waits for the other when
 * it is the primary. All traffic between clients, servers and each other can go through proxies.
 */
final class PostgresCluster implements AutoCloseable {
    private static final Set<Integer> GIVEN_PORTS = ConcurrentHashMap.newKeySet();

    private static final int PATIENCE_SECONDS = 60;
    private static final int POLL_MILLIS = 20;
    private static final int COPY_SHARE = 4;
    private static final int KEPT_MEGABYTES = 64;
    private static final String SETTINGS = "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n"
            + "max_connections = 120\nmax_wal_senders = 8\nwal_level = replica\nhot_standby = on\n"
            + "shared_buffers = 16MB\nwal_log_hints = on\n"
            + "max_wal_size = 128MB\nmin_wal_size = 8MB\n"
            + "wal_receiver_status_interval = 1s\nwal_retrieve_retry_interval = 100ms\ncheckpoint_timeout = 30min\n"
            + "log_checkpoints = off\nlog_lock_waits = on\n";

    private final PostgresServer[] servers = new PostgresServer[2];
    // In front of each server: for clients, and for the other server.
    private final FaultyProxy[] clients = new FaultyProxy[2];
    private final FaultyProxy[] replication = new FaultyProxy[2];
    private int primary;
    private int rejoins;

    /** Starts both servers, and returns when commits wait for the standby. */
    static PostgresCluster start() throws IOException {
        PostgresCluster cluster = new PostgresCluster();
        try {
            for (int i = 0; i < 2; i++) {
                cluster.servers[i] = PostgresServer.reserve(freePort());
                cluster.clients[i] = new FaultyProxy(cluster.servers[i].port());
                cluster.replication[i] = new FaultyProxy(cluster.servers[i].port());
            }
            cluster.primary().initialize(cluster.settings(0));
            cluster.primary().start();
            cluster.standby().copyFrom(cluster.primary(), cluster.settings(1));
            cluster.standby().start();
            cluster.awaitSynchronous();
            return cluster;
        } catch (IOException | RuntimeException | Error failed) {
            cluster.close();
            throw failed;
        }
    }

    /** Settings of a server that stands alone. */
    static String settingsOfOne() throws IOException {
        return SETTINGS + PostgresServer.keptLog(0);
    }

    private String settings(int server) throws IOException {
        return SETTINGS + PostgresServer.keptLog(KEPT_MEGABYTES)
                + "synchronous_standby_names = 'FIRST 1 (peer)'\nprimary_conninfo = 'host=127.0.0.1 port="
                + replication[1 - server].port() + " user=postgres application_name=peer connect_timeout=2'\n";
    }

    static int freePort() throws IOException {
        while (true) {
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                // The system may name a port twice as long as no server listens on it.
                if (GIVEN_PORTS.add(free.getLocalPort())) {
                    return free.getLocalPort();
                }
            }
        }
    }

    PostgresServer primary() {
        return servers[primary];
    }

    PostgresServer standby() {
        return servers[1 - primary];
    }

    /** What the primary does now, and what both servers have logged last: for a violation. Throws nothing. */
    String standing() {
        StringBuilder said = new StringBuilder("\nsessions of the primary:\n")
                .append(primary().sessions());
        for (PostgresServer each : servers) {
            said.append("\nlog of port ").append(each.port()).append(":\n");
            try {
                said.append(each.tail());
            } catch (IOException unreadable) {
                said.append(unreadable.getMessage());
            }
        }
        return said.toString();
    }

    FaultyProxy clientsOfPrimary() {
        return clients[primary];
    }

    FaultyProxy clientsOfStandby() {
        return clients[1 - primary];
    }

    /** Between the primary and its standby. */
    FaultyProxy betweenServers() {
        return replication[primary];
    }

    /** The address of both servers, past the proxies. */
    String url() {
        return urlOf(List.of(servers[0].port(), servers[1].port()));
    }

    /** The address of both servers, through the proxies. */
    String proxiedUrl() {
        return urlOf(List.of(clients[0].port(), clients[1].port()));
    }

    /** The address of the server that is the primary now, past the proxies. */
    String urlOfPrimary() {
        return urlOf(List.of(primary().port()));
    }

    static String urlOf(List<Integer> ports) {
        StringBuilder hosts = new StringBuilder();
        for (int port : ports) {
            hosts.append(hosts.isEmpty() ? "" : ",").append("127.0.0.1:").append(port);
        }
        return "jdbc:postgresql://" + hosts + "/postgres?user=postgres";
    }

    /** Ends the primary in this way, and makes the standby the primary. */
    void failOver(End how) throws IOException {
        primary().end(how);
        promote();
    }

    /** Makes the standby the primary; what was the primary may run. */
    void promote() throws IOException {
        // Waiting within the query could end it: a query must not hold up what the server has still to replay.
        await(standby(), "SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote(false)::text ELSE 'done' END", "done");
        primary = 1 - primary;
    }

    /** Starts the server that was the primary as if nothing had happened: it takes itself for the primary. */
    void startOldPrimary() throws IOException {
        standby().start();
    }

    /** Makes the server that was the primary, and has ended, a standby; returns when commits wait for it. */
    void rejoin() throws IOException {
        if (++rejoins % COPY_SHARE == 0 || !isRewound()) {
            standby().copyFrom(primary(), settings(1 - primary));
        }
        standby().start();
        awaitSynchronous();
    }

    /** Whether the files of the old primary fit the new one again. Its log may not reach back far enough. */
    private boolean isRewound() throws IOException {
        try {
            primary().sql("CHECKPOINT"); // rewinding looks at the timeline of the last checkpoint
        } catch (SQLException gone) {
            throw new IOException(gone);
        }
        try {
            standby().rewindTo(primary().port(), settings(1 - primary));
            return true;
        } catch (IOException logTooShort) {
            return false;
        }
    }

    /** Returns when the standby is connected and synchronous. */
    void awaitSynchronous() throws IOException {
        await("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1");
    }

    /** Returns when the primary gives this answer. */
    void await(String query, String answer) throws IOException {
        await(primary(), query, answer);
    }

    private void await(PostgresServer server, String query, String answer) throws IOException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        String last = "";
        while (System.nanoTime() < deadlineNanos) {
            try {
                last = server.one(query);
                if (last.equals(answer)) {
                    return;
                }
            } catch (SQLException trouble) {
                last = trouble.getMessage();
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", interrupted);
            }
        }
        throw new IOException(query + " answers " + last + "; primary: "
                + primary().tail() + "\nstandby: " + standby().tail());
    }

    /** Has commits of a server wait for the other one, or for nobody. Its sessions learn of it one after the other. */
    static void waitForOther(PostgresServer server, boolean isWanted) throws SQLException {
        server.sql("ALTER SYSTEM SET synchronous_standby_names = '" + (isWanted ? "FIRST 1 (peer)" : "") + "'");
        server.sql("SELECT pg_reload_conf()");
    }

    @Override
    public void close() throws IOException {
        for (int i = 0; i < 2; i++) {
            if (clients[i] != null) {
                clients[i].close();
            }
            if (replication[i] != null) {
                replication[i].close();
            }
            if (servers[i] != null) {
                servers[i].close();
            }
        }
    }
}
