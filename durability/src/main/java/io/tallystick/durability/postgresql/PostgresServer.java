package io.tallystick.durability.postgresql;

import io.tallystick.durability.system.Directories;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server of the PostgreSQL that is installed on this machine, or of the version that a property names. Its files lie
 * in memory if the machine has such a directory: the stages kill processes, not machines. It runs as the user {@code
 * postgres} where this process is root, whom the server refuses. It ends with this process at the latest.
 */
final class PostgresServer implements AutoCloseable {
    /** A directory whose {@code bin} has another version than the installed one. */
    private static final String BINARIES_PROPERTY = "tallystick.testkit.postgresql";

    private static final Pattern VERSION = Pattern.compile("PostgreSQL\\) (\\d+)");
    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
    private static final Path SET_USER = Path.of("/usr/bin/setpriv");
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String USER = "postgres";
    private static final int PATIENCE_SECONDS = 60;
    private static final int TAIL_LINES = 60;
    private static final int POLL_MILLIS = 10;

    private final Path home;
    private final Path data;
    private final int port;
    private final Thread shutdownHook = new Thread(this::removeAtExit, "stop-server");
    private Process process;

    /** How a server ends. */
    enum End {
        /** All of its processes are killed at once. */
        KILL,
        /** The first process is killed, and the others notice that. */
        KILL_POSTMASTER,
        /** It is told to stop without a checkpoint, as after an error. */
        IMMEDIATE
    }

    private PostgresServer(Path home, int port) {
        this.home = home;
        this.data = home.resolve("data");
        this.port = port;
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    /** Why servers cannot run here; empty if they can. */
    static Optional<String> unavailableBecause() {
        try {
            Path binaries = binaries();
            for (String program : List.of("initdb", "postgres")) {
                if (!Files.isExecutable(binaries.resolve(program))) {
                    return Optional.of("there is no " + binaries.resolve(program));
                }
            }
            if (isRoot()) {
                if (!Files.isExecutable(SET_USER)) {
                    return Optional.of("this is root, and there is no setpriv (package util-linux)");
                }
                check(asUser(List.of("true")));
            }
            return Optional.empty();
        } catch (IOException missing) {
            return Optional.of("no PostgreSQL server can run here: " + missing.getMessage());
        }
    }

    /** A server that has no files yet. */
    static PostgresServer reserve(int port) throws IOException {
        return in(
                Files.createTempDirectory(
                        Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir")),
                        "tallystick-pg-"),
                port);
    }

    /** A server without files, which will lie in that empty directory. */
    static PostgresServer in(Path home, int port) throws IOException {
        PostgresServer server = new PostgresServer(home, port);
        if (isRoot()) {
            check(List.of("chown", USER, home.toString()));
        }
        return server;
    }

    int port() {
        return port;
    }

    /** Makes the files of a new database cluster. */
    void initialize(String settings) throws IOException {
        execute(
                "initdb",
                "-D",
                data.toString(),
                "-A",
                "trust",
                "-U",
                USER,
                "-E",
                "UTF8",
                "--wal-segsize=1",
                "--no-sync");
        configure(settings);
    }

    /** Copies another server, which becomes the primary of this one. */
    void copyFrom(PostgresServer other, String settings) throws IOException {
        Directories.delete(data);
        if (has("pg_basebackup")) {
            backUp(other.port);
        } else {
            copyFiles(other);
        }
        becomeStandby(settings);
    }

    private void backUp(int otherPort) throws IOException {
        execute(
                "pg_basebackup",
                "-D",
                data.toString(),
                "-h",
                "127.0.0.1",
                "-p",
                String.valueOf(otherPort),
                "-U",
                USER,
                "-c",
                "fast",
                "-X",
                "stream",
                "--no-sync");
    }

    /**
     * Copies the files of a server that runs, as its documentation tells it ("Making a Base Backup Using the Low Level
     * API"): some distributions of it have no other program.
     */
    private void copyFiles(PostgresServer other) throws IOException {
        boolean hasNewNames = version() >= 15;
        try (Connection connection = other.connect();
                Statement plain = connection.createStatement()) {
            plain.execute(
                    hasNewNames
                            ? "SELECT pg_backup_start('copy', true)"
                            : "SELECT pg_start_backup('copy', true, false)");
            Directories.copyWhatStays(
                    other.data, data, List.of("postmaster.pid", "pg_wal", "pg_replslot", "standby.signal"));
            String label;
            try (ResultSet answer = plain.executeQuery("SELECT labelfile FROM "
                    + (hasNewNames ? "pg_backup_stop(false)" : "pg_stop_backup(false, false)"))) {
                answer.next();
                label = answer.getString(1);
            }
            // After the rest: all that the copy needs was written by now.
            Directories.copyWhatStays(other.data.resolve("pg_wal"), data.resolve("pg_wal"), List.of());
            Files.createDirectories(data.resolve("pg_replslot"));
            Files.writeString(data.resolve("backup_label"), label);
        } catch (SQLException refused) {
            throw new IOException("the server on port " + other.port + " cannot be copied", refused);
        }
        check(List.of("chmod", "-R", "u=rwX,go=", data.toString()));
        if (isRoot()) {
            check(List.of("chown", "-R", USER, data.toString()));
        }
    }

    /**
     * Takes back what the other server does not have; it becomes the primary of this one, which has ended.
     *
     * @throws IOException the log does not reach back far enough, or there is no program for it
     */
    void rewindTo(int otherPort, String settings) throws IOException {
        execute(
                "pg_rewind",
                "--target-pgdata=" + data,
                "--no-sync",
                "--source-server=host=127.0.0.1 port=" + otherPort + " user=" + USER + " dbname=postgres");
        becomeStandby(settings);
    }

    private void becomeStandby(String settings) throws IOException {
        configure(settings);
        write("standby.signal", "");
    }

    /** Replaces all settings. */
    void configure(String settings) throws IOException {
        write("postgresql.auto.conf", "port = " + port + "\n" + settings);
    }

    /** Starts it, and returns when it answers. */
    void start() throws IOException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        process = launch();
        while (true) {
            try {
                one("SELECT 1");
                return;
            } catch (SQLException notYet) {
                if (System.nanoTime() > deadlineNanos) {
                    throw new IOException("the server does not start: " + tail(), notYet);
                }
                if (!process.isAlive()) {
                    // Processes of the server before may still end.
                    process = launch();
                }
                pause();
            }
        }
    }

    private Process launch() throws IOException {
        Files.deleteIfExists(data.resolve("postmaster.pid"));
        ProcessBuilder builder =
                new ProcessBuilder(asUser(List.of(binaries().resolve("postgres").toString(), "-D", data.toString())));
        builder.environment().put("LC_ALL", "C");
        return builder.directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(home.resolve("log").toFile()))
                .start();
    }

    /** Ends it, and returns when all of its processes are gone. */
    void end(End how) throws IOException {
        if (process == null) {
            return;
        }
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        switch (how) {
            case KILL -> {
                // The first one would start others.
                process.destroyForcibly();
                all.forEach(ProcessHandle::destroyForcibly);
            }
            case KILL_POSTMASTER -> process.destroyForcibly();
            default -> signal("QUIT", List.of(process.toHandle()));
        }
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (all.stream().anyMatch(ProcessHandle::isAlive)) {
            if (System.nanoTime() > deadlineNanos) {
                all.forEach(ProcessHandle::destroyForcibly);
            }
            pause();
        }
        process = null;
    }

    /** Holds all of its processes where they are. */
    void suspend() throws IOException {
        signal("STOP", List.of(process.toHandle()));
        signal("STOP", process.descendants().toList());
    }

    /** Lets all of its processes go on. */
    void resume() throws IOException {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        signal("CONT", all);
    }

    private static void signal(String name, List<ProcessHandle> processes) throws IOException {
        if (!processes.isEmpty()) {
            List<String> command = new ArrayList<>(List.of("kill", "-" + name));
            processes.forEach(each -> command.add(Long.toString(each.pid())));
            // One of them may have ended meanwhile.
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start()
                    .onExit()
                    .join();
        }
    }

    void sql(String statement) throws SQLException {
        try (Connection connection = connect();
                Statement plain = connection.createStatement()) {
            plain.execute(statement);
        }
    }

    /** The first column of the first row, as text. */
    String one(String query) throws SQLException {
        try (Connection connection = connect();
                Statement plain = connection.createStatement();
                ResultSet answer = plain.executeQuery(query)) {
            answer.next();
            return String.valueOf(answer.getString(1));
        }
    }

    /** What each session does and waits for, who blocks it, and what the standbys have: for a report of a violation. */
    String sessions() {
        try {
            return one("SELECT string_agg(concat_ws(' ', pid, application_name, state, wait_event_type, wait_event,"
                            + " 'blocked by', pg_blocking_pids(pid)::text, 'since', now() - xact_start,"
                            + " regexp_replace(left(query, 80), '\\s+', ' ', 'g')), chr(10) ORDER BY pid)"
                            + " FROM pg_stat_activity WHERE backend_type = 'client backend'")
                    + "\nstandbys: "
                    + one("SELECT string_agg(concat_ws(' ', application_name, state, sync_state, sent_lsn, flush_lsn,"
                            + " reply_time), chr(10)) FROM pg_stat_replication");
        } catch (SQLException trouble) {
            return "not known: " + trouble.getMessage();
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port
                + "/postgres?user=postgres&connectTimeout=5&socketTimeout=" + PATIENCE_SECONDS);
    }

    /** The end of what it has logged. */
    String tail() throws IOException {
        Path log = home.resolve("log");
        List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    }

    @Override
    public void close() throws IOException {
        if (process != null && process.isAlive()) {
            resume();
            end(End.IMMEDIATE); // a killed one leaves its shared memory behind
        }
        Directories.delete(home);
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
    }

    private void removeAtExit() {
        try {
            if (process != null) {
                end(End.KILL);
            }
            Directories.delete(home);
        } catch (IOException left) {
            System.err.println(home + " is not removed: " + left.getMessage());
        }
    }

    private void write(String file, String text) throws IOException {
        Path path = data.resolve(file);
        Files.writeString(path, text);
        if (isRoot()) {
            check(List.of("chown", USER, path.toString()));
        }
    }

    private void execute(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(binaries().resolve(program).toString());
        command.addAll(List.of(arguments));
        check(asUser(command));
    }

    private static List<String> asUser(List<String> command) {
        List<String> whole = new ArrayList<>();
        if (isRoot()) {
            whole.addAll(List.of(SET_USER.toString(), "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
        }
        whole.addAll(command);
        return whole;
    }

    static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private static void check(List<String> command) throws IOException {
        Path said = Files.createTempFile("tallystick-pg-", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().put("LC_ALL", "C");
            Process process = builder.directory(Path.of("/").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", command) + " failed: "
                        + Files.readString(said).strip());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        } finally {
            Files.deleteIfExists(said);
        }
    }

    private static boolean has(String program) throws IOException {
        return Files.isExecutable(binaries().resolve(program));
    }

    /** The setting that keeps so much of the log for standbys; segments have a megabyte. */
    static String keptLog(int megabytes) throws IOException {
        return version() >= 13 ? "wal_keep_size = " + megabytes + "MB\n" : "wal_keep_segments = " + megabytes + "\n";
    }

    /** The major version. */
    static int version() throws IOException {
        Process asked = new ProcessBuilder(binaries().resolve("postgres").toString(), "--version").start();
        String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher number = VERSION.matcher(said);
        if (!number.find()) {
            throw new IOException("no version is in " + said);
        }
        return Integer.parseInt(number.group(1));
    }

    /** Of the version that the property names, or of the latest one that is installed. */
    private static Path binaries() throws IOException {
        String asked = System.getProperty(BINARIES_PROPERTY);
        if (asked != null) {
            return Path.of(asked).resolve("bin");
        }
        Optional<Path> latest = Optional.empty();
        int latestVersion = 0;
        if (Files.isDirectory(INSTALLED)) {
            try (DirectoryStream<Path> versions = Files.newDirectoryStream(INSTALLED, "[0-9]*")) {
                for (Path each : versions) {
                    int version = Integer.parseInt(each.getFileName().toString());
                    if (version > latestVersion && Files.isExecutable(each.resolve("bin/initdb"))) {
                        latest = Optional.of(each.resolve("bin"));
                        latestVersion = version;
                    }
                }
            }
        }
        return latest.orElseThrow(
                () -> new IOException("there is no server below " + INSTALLED + " (Debian: install postgresql)"));
    }

    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }
}
