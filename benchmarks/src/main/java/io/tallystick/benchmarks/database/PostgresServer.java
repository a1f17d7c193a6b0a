package io.tallystick.benchmarks.database;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One server on this machine, a child of this process. It has the settings that PostgreSQL ships with, except for its
 * address and the number of connections.
 */
final class PostgresServer {
    /** The user of everything; the server trusts the connections of this machine. */
    static final String USER = "postgres";

    /** Enough for the largest pool that is measured, and for what looks on. */
    private static final int MAX_CONNECTIONS = 200;

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 20;

    private final PostgresPrograms programs;
    private final Path data;
    private final Path log;
    private final int port;
    private Process process;

    private PostgresServer(PostgresPrograms programs, Path data, int port) {
        this.programs = programs;
        this.data = data;
        this.log = data.resolveSibling(data.getFileName() + ".log");
        this.port = port;
    }

    /** A new server that does not run yet. */
    static PostgresServer create(PostgresPrograms programs, Path data) throws IOException {
        programs.newDirectory(data);
        programs.runAsOwner(
                programs.program("initdb"),
                "-D",
                data.toString(),
                "-A",
                "trust",
                "-U",
                USER,
                "-E",
                "UTF8",
                "--no-locale",
                "--no-sync");
        return new PostgresServer(programs, data, freePort());
    }

    /** A copy of this server, which must not run; it follows a primary when it is started. */
    PostgresServer copyForStandby(Path copy) throws IOException {
        programs.newDirectory(copy);
        programs.runAsOwner("cp", "-a", data + "/.", copy.toString());
        programs.runAsOwner("touch", copy.resolve("standby.signal").toString());
        return new PostgresServer(programs, copy, freePort());
    }

    /** Starts it, and waits until it takes connections. */
    void start(List<String> settings) throws IOException, SQLException {
        List<String> arguments = new ArrayList<>(List.of("-D", data.toString()));
        for (String setting : List.of(
                "port=" + port,
                "listen_addresses=127.0.0.1",
                "unix_socket_directories=",
                "max_connections=" + MAX_CONNECTIONS)) {
            arguments.addAll(List.of("-c", setting));
        }
        settings.forEach(setting -> arguments.addAll(List.of("-c", setting)));
        process = programs.start(log, "postgres", arguments);
        await("the server in " + data + " takes no connections", () -> {
            if (!process.isAlive()) {
                throw new IOException("the server ended by itself: " + Files.readString(log));
            }
            try {
                connect("postgres").close();
                return true;
            } catch (SQLException tooEarly) {
                return false;
            }
        });
    }

    /** Stops it as an administrator would: connections end, and everything is written. */
    void stop() throws IOException {
        if (process == null || !process.isAlive()) {
            return;
        }
        try {
            PostgresPrograms.run(List.of("kill", "-INT", Long.toString(process.pid())));
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("the server in " + data + " did not stop");
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    int port() {
        return port;
    }

    /** The number of its first process. */
    long pid() {
        return process.pid();
    }

    Connection connect(String database) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/" + database, USER, "");
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            for (String text : statements) {
                statement.execute(text);
            }
        }
    }

    /** Waits until a query gives this answer. */
    void awaitAnswer(String query, String answer) throws IOException, SQLException {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            await(query + " does not give " + answer, () -> {
                try (ResultSet found = statement.executeQuery(query)) {
                    return found.next() && answer.equals(found.getString(1));
                }
            });
        }
    }

    private static void await(String problem, Condition condition) throws IOException, SQLException {
        long begun = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - begun > PATIENCE.toNanos()) {
                throw new IOException(problem + " within " + PATIENCE.toSeconds() + " s");
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IOException(problem, interrupted);
            }
        }
    }

    /** Something to wait for. */
    @FunctionalInterface
    private interface Condition {
        boolean holds() throws IOException, SQLException;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
