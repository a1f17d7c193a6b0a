package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections over TLS, where the end of a connection takes more than closing a socket. */
class TlsTest extends WithServer {
    private static final int MANY = 40;

    private static Path certificate;

    @TempDir
    private Path directory;

    @BeforeAll
    static void offerTls() throws Exception {
        certificate = server.offerTls();
    }

    @Test
    void aServerThatIsVerifiedTakesWrites() throws Exception {
        try (ObjectStore store = Stores.open(Stores.settings(verified(server.url(), certificate), "verified"))) {
            store.write(Stores.key(1), Stores.state("encrypted"), Durability.FORCED);
            assertThat(server.one("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                            + " WHERE application_name ~ '^tallystick [0-9a-f-]{36} '"))
                    .isEqualTo("t");
        }
    }

    @Test
    void aServerWithACertificateForAnotherNameIsRefused() {
        String otherName = server.url().replace("127.0.0.1", "localhost");
        assertThatThrownBy(() -> Stores.open(Stores.settings(verified(otherName, certificate), "name")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("localhost");
    }

    @Test
    void aServerWithACertificateThatTheClientDoesNotTrustIsRefused() throws Exception {
        Path other = directory.resolve("other.crt");
        PostgresServer.writeOtherCertificate(other);
        assertThatThrownBy(() -> Stores.open(Stores.settings(verified(server.url(), other), "trust")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("SSL");
    }

    /** A freeze that the patience outlasts, and one that it does not: 1 MiB states fill the buffers of a connection. */
    @Tag("long")
    @Test
    void nothingAcknowledgedIsLostWhenAServerOverTlsFreezes() throws Exception {
        Map<Long, Byte> acknowledged = new ConcurrentHashMap<>();
        AtomicLong count = new AtomicLong();
        Duration patience = Duration.ofSeconds(6);
        StoreConfiguration.Builder settings =
                Stores.settings(verified(server.url(), certificate), "freezes").set(StoreOption.PATIENCE, patience);
        ObjectStore store = Stores.open(settings);
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (long key = 0; key < 4; key++) {
            long mine = key;
            writers.add(CompletableFuture.runAsync(
                    () -> {
                        for (byte value = 1; ; value++) {
                            store.write(Stores.key(mine), full(value), Durability.FORCED);
                            acknowledged.put(mine, value);
                            count.incrementAndGet();
                        }
                    },
                    Stores.OWN_THREAD));
        }
        awaitMore(count);
        server.signal("STOP");
        try {
            pause(patience.dividedBy(3));
        } finally {
            server.signal("CONT");
        }
        awaitMore(count);
        assertThat(writers).noneMatch(CompletableFuture::isDone);

        server.signal("STOP");
        long begun = System.nanoTime();
        try {
            for (CompletableFuture<Void> writer : writers) {
                assertThatThrownBy(() -> writer.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreException.class);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("the patience, and one more try to connect")
                    .isLessThan(patience.multipliedBy(3));
        } finally {
            server.signal("CONT");
        }
        Stores.closeFailed(store);
        try (ObjectStore next = Stores.open(settings.set(StoreOption.TAKEOVER, Takeover.AT_ONCE))) {
            acknowledged.forEach((key, value) -> {
                byte[] found = next.read(Stores.key(key)).orElseThrow();
                // The write that was under way may be there.
                assertThat(found).isIn(full(value), full((byte) (value + 1)));
            });
        }
    }

    @Test
    void aPasswordThatIsChangedUnderLoadIsInNoText() throws Exception {
        Path passwords = Files.writeString(directory.resolve("password"), "firstSecret\n");
        server.sql("CREATE ROLE changing LOGIN SUPERUSER PASSWORD 'firstSecret'");
        server.demandPasswordOf("changing");
        String url = verified(server.url().replace("?user=postgres", "?user=changing"), certificate);
        try (ToldLines told = new ToldLines("")) {
            ObjectStore store = Stores.open(Stores.settings(url, "changing")
                    .set(StoreOption.POSTGRESQL_USER, "changing")
                    .set(StoreOption.POSTGRESQL_PASSWORD_FILE, passwords)
                    .set(StoreOption.PATIENCE, Duration.ofSeconds(12)));
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            server.sql("ALTER ROLE changing PASSWORD 'secondSecret'");
            server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'changing'");
            CompletableFuture<Void> waiting =
                    store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
            await().atMost(Duration.ofSeconds(10)).until(() -> told.count("TALLY0335") > 0);
            Files.writeString(passwords, "secondSecret\n");
            waiting.get(60, TimeUnit.SECONDS);
            assertThat(told.all()).noneMatch(TlsTest::hasPassword);

            server.sql("ALTER ROLE changing PASSWORD 'thirdSecret'");
            server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'changing'");
            assertThatThrownBy(() -> store.write(Stores.key(3), Stores.state("never"), Durability.FORCED))
                    .hasMessageContaining("password authentication failed")
                    .satisfies(refused -> {
                        for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
                            assertThat(cause.toString()).doesNotContain("Secret");
                        }
                    });
            assertThat(told.all()).noneMatch(TlsTest::hasPassword);
            Stores.closeFailed(store);
        }
    }

    /** Apart from the driver's own line about what this test has it do. */
    private static boolean hasPassword(String line) {
        return line.contains("Secret") && !line.contains("ALTER ROLE");
    }

    private static String verified(String url, Path trusted) {
        return url + "&sslmode=verify-full&sslrootcert=" + trusted;
    }

    private static byte[] full(byte value) {
        byte[] state = new byte[1 << 20];
        Arrays.fill(state, value);
        return state;
    }

    private static void awaitMore(AtomicLong count) {
        long before = count.get();
        await().atMost(Duration.ofSeconds(60)).until(() -> count.get() > before + 12);
    }

    private static void pause(Duration duration) {
        await().pollDelay(duration).atMost(duration.plusSeconds(10)).until(() -> true);
    }

    @Test
    void theDriversSocketIsFound() throws Exception {
        try (Connection connection = new Connections(
                        PostgresOptions.from(Stores.settings(server.url() + "&sslmode=require", "found")
                                .build()))
                .open("test")) {
            assertThat(TlsClose.waitForNobody(connection)).isTrue();
        }
    }

    @Test
    void writesEndThoughAServerOverTlsStandsStillAndTakesNoBytes() throws Exception {
        ObjectStore store = Stores.open(Stores.settings(server.url() + "&sslmode=require", "still")
                .set(StoreOption.MAX_STATE_SIZE, 64 * StoreOption.MIB)
                .set(StoreOption.MAX_LIVE_SIZE, 256 * StoreOption.MIB)
                .set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
        store.write(Stores.key(1), Stores.state("small"), Durability.FORCED);
        assertThat(server.one("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                        + " WHERE application_name ~ '^tallystick [0-9a-f-]{36} '"))
                .isEqualTo("t");
        server.signal("STOP");
        List<CompletionStage<Void>> writes = new ArrayList<>();
        try {
            writes.add(store.writeAsync(Stores.key(2), new byte[64 << 20]));
            for (int i = 0; i < MANY; i++) { // batches of 1 MiB: those of the other lane
                writes.add(store.writeAsync(Stores.key(3 + i), new byte[1 << 20]));
            }
            assertThatThrownBy(() -> writes.get(0).toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(OutcomeUnknownException.class);
            for (CompletionStage<Void> write : writes) {
                assertThatThrownBy(() -> write.toCompletableFuture().get(30, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(StoreException.class);
            }
        } finally {
            server.signal("CONT");
        }
        Stores.closeFailed(store);
    }
}
