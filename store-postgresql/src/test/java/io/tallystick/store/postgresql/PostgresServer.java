package io.tallystick.store.postgresql;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * Real servers from the binaries of a test library: a primary, and perhaps a synchronous standby. They run as the user
 * of the test, or as nobody where that is root, whom the server refuses.
 */
public final class PostgresServer implements AutoCloseable {
    private static final String STANDBY_NAME = "s1";
    private static final String ADDRESS = "127.0.0.1";
    private static final String KEY_PASSWORD = "changeit";
    private static Path binaries;

    private final Path data;
    private final int port;

    private PostgresServer(Path data, int port) {
        this.data = data;
        this.port = port;
    }

    /** Why servers cannot run here; empty if they can. */
    public static Optional<String> obstacle() {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            return Optional.of("the binaries of the test's server are for Linux on amd64");
        }
        if (isRoot() && !Files.isExecutable(Path.of("/usr/bin/setpriv"))) {
            return Optional.of("this is root, and there is no setpriv (package util-linux) to run a server as nobody");
        }
        return Optional.empty();
    }

    /** Starts a server of its own. */
    public static PostgresServer start() throws IOException {
        PostgresServer server = new PostgresServer(directory("primary"), freePort());
        server.execute(
                "initdb", "-D", server.data.toString(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync");
        server.configure("");
        server.run();
        return server;
    }

    /** Copies this server, which becomes the primary of the copy. It does not wait for its standby yet. */
    public PostgresServer startStandby() throws IOException {
        return startStandby(STANDBY_NAME);
    }

    /** As {@link #startStandby()}, with a name of its own. */
    PostgresServer startStandby(String name) throws IOException {
        stop("fast");
        PostgresServer standby = new PostgresServer(directory("standby"), freePort());
        asOwner(List.of("cp", "-a", data + "/.", standby.data.toString()));
        standby.beStandbyOf(this, name, "");
        run();
        standby.run();
        return standby;
    }

    /** Makes this stopped server a standby of another one, whatever it has: nothing is rewound. */
    void beStandbyOf(PostgresServer other, String name, String more) throws IOException {
        configure("primary_conninfo = 'host=127.0.0.1 port=" + other.port + " user=postgres application_name=" + name
                + "'\nprimary_slot_name = ''\n" + more);
        write("standby.signal", "");
    }

    /** Has commits wait for the standby from now on, or no longer. */
    public void waitForStandby(boolean isWanted) throws SQLException {
        sql("ALTER SYSTEM SET synchronous_standby_names = '" + (isWanted ? "FIRST 1 (" + STANDBY_NAME + ")" : "")
                + "'");
        sql("SELECT pg_reload_conf()");
        String state = isWanted ? "sync" : "async";
        await().atMost(Duration.ofSeconds(60))
                .until(() -> one("SELECT count(*) FROM pg_stat_replication WHERE sync_state = '" + state + "'")
                        .equals("1"));
    }

    /** Sets synchronous_standby_names, and waits until so many standbys are synchronous. */
    void waitForStandbys(String names, int synchronous) throws SQLException {
        sql("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
        sql("SELECT pg_reload_conf()");
        awaitOne("SELECT count(*) = " + synchronous
                + " FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')");
    }

    /** Makes a standby the primary. */
    public void promote() throws IOException {
        execute("pg_ctl", "-D", data.toString(), "-w", "promote");
    }

    public void run() throws IOException {
        execute(
                "pg_ctl",
                "-D",
                data.toString(),
                "-w",
                "-l",
                data.resolve("server.log").toString(),
                "start");
    }

    /** Stops it in one of the ways of pg_ctl; immediate is a crash. */
    public void stop(String mode) throws IOException {
        execute("pg_ctl", "-D", data.toString(), "-w", "-m", mode, "stop");
    }

    /** Copies all files of the server, which is stopped meanwhile. */
    void backUp() throws IOException {
        stop("fast");
        check(List.of("cp", "-a", data.toString(), data + ".backup"));
        run();
    }

    /** Puts the copy in the place of the files, as an administrator restores an older backup. */
    void restoreBackup() throws IOException {
        if (Files.exists(data.resolve("postmaster.pid"))) {
            stop("immediate");
        }
        delete(data);
        check(List.of("mv", data + ".backup", data.toString()));
        run();
    }

    /**
     * Sends a signal to all processes of the server, first to the one that starts the others: once it is stopped, none
     * is missed. One that has ended meanwhile needs none.
     */
    public void signal(String name) throws IOException {
        ProcessHandle leader = ProcessHandle.of(Long.parseLong(
                        Files.readAllLines(data.resolve("postmaster.pid")).get(0)))
                .orElseThrow();
        signal(name, leader);
        for (ProcessHandle child : leader.descendants().toList()) {
            signal(name, child);
        }
    }

    private static void signal(String name, ProcessHandle process) throws IOException {
        try {
            check(List.of("kill", "-" + name, Long.toString(process.pid())));
        } catch (IOException refused) {
            if (process.isAlive()) {
                throw refused;
            }
        }
    }

    /**
     * Sends a signal to one of the processes that a server has once. The checkpointer brings new settings to the
     * others' shared memory; the walwriter brings commits to the disk that wait for nothing.
     */
    void signalProcess(String type, String name) throws IOException, SQLException {
        check(List.of("kill", "-" + name, one("SELECT pid FROM pg_stat_activity WHERE backend_type = '" + type + "'")));
    }

    /** Has the server ask this role for its password from now on. */
    public void demandPasswordOf(String role) throws IOException, SQLException {
        Path rules = data.resolve("pg_hba.conf");
        write("pg_hba.conf", "host all " + role + " 127.0.0.1/32 scram-sha-256\n" + Files.readString(rules));
        sql("SELECT pg_reload_conf()");
    }

    /**
     * From now on connections may be over TLS, with a certificate for {@value #ADDRESS} that nobody has signed.
     *
     * @return the file with the certificate: a client that trusts it trusts this server
     */
    Path offerTls() throws IOException, SQLException, GeneralSecurityException {
        KeyStore made = makeKeys();
        write("server.crt", pem("CERTIFICATE", made.getCertificate("server").getEncoded()));
        write(
                "server.key",
                pem(
                        "PRIVATE KEY",
                        made.getKey("server", KEY_PASSWORD.toCharArray()).getEncoded()));
        Files.setPosixFilePermissions(data.resolve("server.key"), PosixFilePermissions.fromString("rw-------"));
        sql("ALTER SYSTEM SET ssl = on");
        sql("SELECT pg_reload_conf()");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> one("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                        .equals("t"));
        return data.resolve("server.crt");
    }

    /** Writes a certificate for {@value #ADDRESS} that is no server's. */
    static void writeOtherCertificate(Path file) throws IOException, GeneralSecurityException {
        Files.writeString(
                file, pem("CERTIFICATE", makeKeys().getCertificate("server").getEncoded()));
    }

    private static KeyStore makeKeys() throws IOException, GeneralSecurityException {
        Path keys = Files.createTempDirectory("tallystick-postgres-keys");
        Path store = keys.resolve("store.p12");
        check(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "RSA",
                "-alias",
                "server",
                "-dname",
                "CN=" + ADDRESS,
                "-ext",
                "san=ip:" + ADDRESS,
                "-validity",
                "10",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                KEY_PASSWORD));
        KeyStore made = KeyStore.getInstance(store.toFile(), KEY_PASSWORD.toCharArray());
        delete(keys);
        return made;
    }

    private static String pem(String kind, byte[] encoded) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded) + "\n-----END " + kind
                + "-----\n";
    }

    /** A transaction that is open until this is closed. */
    Connection begin(String statement) throws SQLException {
        Connection connection = DriverManager.getConnection(url());
        connection.setAutoCommit(false);
        try (Statement plain = connection.createStatement()) {
            plain.execute(statement);
        }
        return connection;
    }

    /** Waits until a session waits for a lock. */
    void awaitLockWait() {
        awaitOne("SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    }

    /** Waits until a standby has all that is here. */
    void awaitStandby() {
        awaitOne("SELECT coalesce(bool_or(flush_lsn >= pg_current_wal_flush_lsn()), false) FROM pg_stat_replication");
    }

    private void awaitOne(String condition) {
        await().atMost(Duration.ofSeconds(60)).until(() -> one(condition).equals("t"));
    }

    public int port() {
        return port;
    }

    /** The address for a user who sees everything. */
    public String url() {
        return urlOf("127.0.0.1:" + port);
    }

    public static String urlOf(String hosts) {
        return "jdbc:postgresql://" + hosts + "/postgres?user=postgres";
    }

    public void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url());
                Statement plain = connection.createStatement()) {
            plain.execute(statement);
        }
    }

    /** The major version. */
    int version() throws SQLException {
        return Integer.parseInt(one("SHOW server_version_num")) / 10_000;
    }

    public String one(String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url());
                Statement plain = connection.createStatement();
                ResultSet answer = plain.executeQuery(query)) {
            answer.next();
            return String.valueOf(answer.getString(1));
        }
    }

    @Override
    public void close() {
        try {
            if (Files.exists(data.resolve("postmaster.pid"))) {
                signal("CONT"); // a failed test may have left it stopped, and then it cannot be ended
                stop("immediate");
            }
            delete(data);
        } catch (IOException trouble) {
            throw new UncheckedIOException(trouble);
        }
    }

    private void configure(String more) throws IOException {
        write(
                "postgresql.auto.conf",
                "port = " + port + "\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n"
                        + "max_wal_senders = 4\nwal_level = replica\nhot_standby = on\nshared_buffers = 32MB\n"
                        + "max_prepared_transactions = 8\nmax_connections = 60\nwal_receiver_status_interval = 1s\n"
                        + "password_encryption = 'scram-sha-256'\n"
                        + more);
    }

    private void write(String file, String text) throws IOException {
        Path path = data.resolve(file);
        Files.writeString(path, text);
        giveToOwner(path);
    }

    private void execute(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(binaries().resolve("bin").resolve(program).toString());
        command.addAll(List.of(arguments));
        asOwner(command);
    }

    private static void asOwner(List<String> command) throws IOException {
        List<String> whole = new ArrayList<>();
        if (isRoot()) {
            whole.addAll(List.of("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        }
        whole.addAll(command);
        check(whole);
    }

    private static void check(List<String> command) throws IOException {
        Path output = Files.createTempFile("postgres", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().put("LC_ALL", "C");
            Process process = builder.directory(new java.io.File("/"))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(command + " failed: " + Files.readString(output));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static synchronized Path binaries() throws IOException {
        if (binaries == null) {
            Path made = directory("binaries");
            try (InputStream packed = PostgresServer.class.getResourceAsStream("/postgres-linux-x86_64.txz");
                    TarArchiveInputStream tar = new TarArchiveInputStream(new XZCompressorInputStream(packed))) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    unpack(tar, entry, made);
                }
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    delete(made);
                } catch (IOException left) { // below the directory for temporary files
                }
            }));
            binaries = made;
        }
        return binaries;
    }

    private static void unpack(InputStream tar, TarArchiveEntry entry, Path directory) throws IOException {
        Path path = directory.resolve(entry.getName()).normalize();
        if (entry.isDirectory()) {
            Files.createDirectories(path);
        } else {
            Files.createDirectories(path.getParent());
            if (entry.isSymbolicLink()) {
                Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            } else {
                Files.copy(tar, path);
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }

    /** A directory that the owner of the server can reach, and that only it can read. */
    private static Path directory(String name) throws IOException {
        Path directory = Files.createTempDirectory("tallystick-postgres-" + name);
        Files.setPosixFilePermissions(
                directory, PosixFilePermissions.fromString(name.equals("binaries") ? "rwxr-xr-x" : "rwx------"));
        if (!name.equals("binaries")) {
            giveToOwner(directory);
        }
        return directory;
    }

    private static void giveToOwner(Path path) throws IOException {
        if (isRoot()) {
            check(List.of("chown", "65534:65534", path.toString()));
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
