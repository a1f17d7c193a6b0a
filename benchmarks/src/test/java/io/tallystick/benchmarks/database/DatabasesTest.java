package io.tallystick.benchmarks.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.measure.StatementBenchmark;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On real servers: installed ones, or those of the library. */
class DatabasesTest {
    private static final int ADDED_MILLIS = 20;

    private static RunDirectory directory;
    private static Databases databases;

    @BeforeAll
    static void find() throws IOException {
        directory = RunDirectory.create(Files.createTempDirectory("databases"));
        Path parent = directory.path().getParent();
        parent.toFile().setExecutable(true, false); // the server's account looks in
        try {
            databases = new Databases(PostgresPrograms.find(directory.path()), directory.path());
        } catch (IOException none) {
            System.out.println("not tested: " + none.getMessage());
            Assumptions.abort(none.getMessage());
        }
    }

    @AfterAll
    static void delete() throws IOException {
        directory.delete();
        Files.deleteIfExists(directory.path().getParent());
    }

    @Test
    void pgbenchSendsTheStatementOfTheStore() throws IOException, SQLException {
        Subject subject = SubjectCatalog.named("postgresql");
        try (Databases.Running servers = databases.start(subject.needs(), 0);
                ObjectStore store = servers.open(subject)) {
            write(store);

            assertThat(lastStatement(servers)).isEqualTo(normalized(script()));
        }
    }

    @Test
    void aCommitWaitsForBothRoundTripsWithAStandby() throws IOException {
        Subject subject = SubjectCatalog.named("postgresql-standby");
        try (Databases.Running servers = databases.start(subject.needs(), ADDED_MILLIS);
                ObjectStore store = servers.open(subject)) {
            write(store);
            long begun = System.nanoTime();
            write(store);

            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(2 * ADDED_MILLIS));
            assertThat(servers.processes()).hasSize(2);
        }
    }

    @Tag("long")
    @Test
    void serversOfTheLibraryRunWhereNoneIsInstalled() throws IOException, SQLException {
        PostgresPrograms programs = PostgresPrograms.embedded(directory.path());
        Path ofItsOwn = Files.createDirectory(directory.path().resolve("of-the-library"));

        assertThat(programs.version()).startsWith("PostgreSQL 17");
        try (Databases.Running servers = new Databases(programs, ofItsOwn).start(Subject.Needs.POSTGRESQL, 0);
                Connection connection = servers.connect()) {
            assertThat(connection.getMetaData().getDatabaseMajorVersion()).isEqualTo(17);
        }
    }

    @Test
    void serversRunOnlyWhileAStepNeedsThemAndEachStepHasANewDatabase() throws IOException {
        Subject subject = SubjectCatalog.named("postgresql");
        for (int step = 0; step < 2; step++) {
            List<Long> processes;
            try (Databases.Running servers = databases.start(subject.needs(), 0);
                    ObjectStore store = servers.open(subject)) {
                processes = servers.processes();
                assertThat(store.read(key())).isEmpty();
                write(store);
            }
            assertThat(processes).allMatch(process -> ProcessHandle.of(process).isEmpty());
        }
    }

    private static StateKey key() {
        return StateKey.of("/type", ObjectId.of(new byte[28]));
    }

    private static void write(ObjectStore store) {
        store.write(key(), new byte[600], Durability.FORCED);
    }

    private static String lastStatement(Databases.Running servers) throws SQLException {
        try (Connection connection = servers.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT query FROM pg_stat_activity"
                        + " WHERE query LIKE 'WITH mine%' AND application_name LIKE 'tallystick%' LIMIT 1")) {
            assertThat(found.next()).isTrue();
            return normalized(found.getString(1));
        }
    }

    private static String script() throws IOException {
        try (InputStream script = StatementBenchmark.class.getResourceAsStream("statement.sql")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The statement alone, each parameter or expression of parameters as a question mark. */
    private static String normalized(String text) {
        return text.lines()
                .filter(line -> !line.startsWith("\\"))
                .reduce("", String::concat)
                .replaceAll("::boolean|;$", "")
                .replaceAll("(\\$|(?<!:):)\\w+( [+-] \\d+)?", "?");
    }
}
