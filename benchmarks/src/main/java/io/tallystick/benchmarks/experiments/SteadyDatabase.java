package io.tallystick.benchmarks.experiments;

import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.database.Databases;
import io.tallystick.benchmarks.database.PostgresPrograms;
import io.tallystick.benchmarks.run.Progress;
import io.tallystick.benchmarks.run.RunContext;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Whether our store in PostgreSQL keeps its speed while another session of the same database holds a transaction open.
 * PostgreSQL removes no dead row meanwhile. A statement that walks dead rows or dead index entries gets slower and
 * slower. So does a table that grows.
 *
 * <p>Arguments: {@code DIRECTORY MINUTES THREADS STORE [alone]}; {@code alone} is the same without that transaction. It
 * prints commits per second for each minute, without a transaction manager, and ends with status 1 if a minute is more
 * than a tenth below the first. It stops early where the disk gets full.
 */
public final class SteadyDatabase {
    private static final PrintStream OUT = System.out;
    private static final String ALONE = "alone";
    private static final long WARM_UP_MILLIS = 10_000;
    private static final long MINUTE_MILLIS = 60_000;
    private static final double LEAST_SHARE = 0.9;
    private static final long LEAST_FREE_BYTES = 4L << 30;

    private SteadyDatabase() {}

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InterruptedException, SQLException {
        boolean isAlone = arguments.length == 5 && arguments[4].equals(ALONE);
        if (arguments.length != 4 && !isAlone) {
            throw new IllegalArgumentException("usage: DIRECTORY MINUTES THREADS STORE [" + ALONE + "]");
        }
        int minutes = Integer.parseInt(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        Subject subject = SubjectCatalog.named(arguments[3]);
        RunDirectory directory = RunDirectory.create(Path.of(arguments[0]));
        RunContext context = new RunContext(directory, new Progress(Terminal.NOWHERE, NanoClock.SYSTEM));
        context.interruption().arm();
        boolean isSteady;
        try {
            Databases databases = new Databases(PostgresPrograms.find(directory.path()), directory.path());
            try (Databases.Running servers = databases.start(subject.needs(), 0);
                    Connection other = servers.connect();
                    Connection looking = servers.connect();
                    ObjectStore store = servers.open(subject)) {
                if (!isAlone) {
                    hold(other);
                }
                OUT.printf(
                        Locale.ROOT,
                        "%s, %s, %s transaction is open elsewhere%n",
                        subject.name(),
                        Text.counted(threads, "thread"),
                        isAlone ? "no" : "a");
                isSteady = measure(store, looking, directory.path(), minutes, threads);
            }
        } finally {
            context.interruption().disarm();
        }
        System.exit(isSteady ? 0 : 1);
    }

    /** A transaction that has changed something, and does not end. */
    private static void hold(Connection other) throws SQLException {
        other.setAutoCommit(false);
        other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = other.createStatement()) {
            statement.execute("CREATE TABLE forgotten (id int)");
            statement.execute("INSERT INTO forgotten VALUES (1)");
        }
    }

    private static boolean measure(ObjectStore store, Connection looking, Path directory, int minutes, int threads)
            throws InterruptedException, IOException, SQLException {
        AtomicBoolean isOver = new AtomicBoolean();
        LongAdder commits = new LongAdder();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> CommitRate.commit(store, number, isOver, commits));
            running.add(thread);
            thread.start();
        }
        Thread.sleep(WARM_UP_MILLIS);
        double first = 0;
        double lowest = Double.MAX_VALUE;
        for (int minute = 1; minute <= minutes; minute++) {
            long begun = System.nanoTime();
            long before = commits.sum();
            long forces = store.statistics().forces();
            Thread.sleep(MINUTE_MILLIS);
            double seconds = (System.nanoTime() - begun) / 1e9;
            double rate = (commits.sum() - before) / seconds;
            double statements = (store.statistics().forces() - forces) / seconds;
            first = minute == 1 ? rate : first;
            lowest = Math.min(lowest, rate);
            OUT.printf(
                    Locale.ROOT,
                    "minute %2d  %8s commits/s  %6s statements/s  %.2f of the first minute, table %d MiB%n",
                    minute,
                    Text.whole(rate),
                    Text.whole(statements),
                    rate / first,
                    sizeOf(looking) >> 20);
            if (Files.getFileStore(directory).getUsableSpace() < LEAST_FREE_BYTES) {
                OUT.println("stopped: the disk has less than 4 GiB left");
                break;
            }
        }
        isOver.set(true);
        for (Thread thread : running) {
            thread.join();
        }
        OUT.printf(Locale.ROOT, "lowest minute: %.2f of the first; demanded is %.1f%n", lowest / first, LEAST_SHARE);
        return lowest >= LEAST_SHARE * first;
    }

    private static long sizeOf(Connection looking) throws SQLException {
        try (Statement statement = looking.createStatement();
                ResultSet size =
                        statement.executeQuery("SELECT pg_total_relation_size('tallystick.tallystick_batch')")) {
            size.next();
            return size.getLong(1);
        }
    }
}
