package io.tallystick.benchmarks.measure;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.benchmarks.subject.SubjectProof;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.XAConnection;
import org.HdrHistogram.Histogram;
import org.h2.jdbcx.JdbcDataSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A transaction with work in it: two embedded databases on the disk of the store, one row changed in each. Each caller
 * has its own row, so no two of them wait for each other in a database. H2 as it ships writes when it prepares and
 * when it commits, and forces neither; the only forced write of a transaction is the store's.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class WorkBenchmark {
    /**
     * System property: the directory of the databases. It is not under {@code tallystick.}, because the library refuses
     * unknown keys there.
     */
    public static final String DIRECTORY_KEY = "bench.databases";

    private static final int ROWS = Protocol.MOST_THREADS;

    /** Name of the {@link Subject}. */
    @Param("")
    public String store;

    private final List<JdbcDataSource> databases = new ArrayList<>();
    private final List<Connection> openConnections = new ArrayList<>();
    private final AtomicInteger callers = new AtomicInteger();
    private TransactionManager transactionManager;

    /** Starts the transaction manager, checks that it uses the store of the parameter, and fills the databases. */
    @Setup
    public void start() throws Exception {
        transactionManager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        SubjectProof.prove(SubjectCatalog.named(store), transactionManager);
        Path directory = Path.of(System.getProperty(DIRECTORY_KEY));
        for (String name : List.of("one", "other")) {
            JdbcDataSource database = new JdbcDataSource();
            database.setURL("jdbc:h2:file:" + directory.resolve(name).toAbsolutePath());
            databases.add(database);
            Connection openConnection = database.getConnection(); // an H2 database closes with its last connection
            openConnections.add(openConnection);
            try (Statement statement = openConnection.createStatement()) {
                statement.execute("CREATE TABLE account(id INT PRIMARY KEY, amount BIGINT NOT NULL)");
                statement.execute("INSERT INTO account SELECT x - 1, 0 FROM system_range(1, " + ROWS + ")");
            }
        }
    }

    /** Checks that every transaction made both of its changes, and closes the store. */
    @TearDown
    public void stop() throws SQLException {
        List<Long> sums = new ArrayList<>();
        for (Connection openConnection : openConnections) {
            try (Statement statement = openConnection.createStatement();
                    ResultSet sum = statement.executeQuery("SELECT SUM(amount) FROM account")) {
                sum.next();
                sums.add(sum.getLong(1));
            }
        }
        StoreManager.shutdown();
        if (sums.get(0) == 0 || !sums.get(0).equals(sums.get(1))) {
            throw new IllegalStateException("store=" + store + ": the databases differ, changes=" + sums);
        }
    }

    /** One transaction. */
    @Benchmark
    public void commit(Caller caller, IterationGate.Passage passage) throws Exception {
        long begun = System.nanoTime();
        transactionManager.begin();
        Transaction transaction = transactionManager.getTransaction();
        for (Account account : caller.accounts) {
            transaction.enlistResource(account.connection().getXAResource());
            account.update().executeUpdate();
        }
        transactionManager.commit();
        caller.latencies.recordValue(Math.min(System.nanoTime() - begun, LatencySamples.HIGHEST_NANOS));
        caller.commits.increment();
    }

    private record Account(XAConnection connection, PreparedStatement update) {}

    /** The state of one thread. */
    @State(Scope.Thread)
    public static class Caller {
        private final List<Account> accounts = new ArrayList<>();
        private Histogram latencies;
        private SliceMeter.Count commits;

        /** Connects to both databases. */
        @Setup
        public void connect(WorkBenchmark benchmark) throws SQLException {
            int row = benchmark.callers.getAndIncrement();
            for (JdbcDataSource database : benchmark.databases) {
                XAConnection connection = database.getXAConnection();
                PreparedStatement update = connection
                        .getConnection()
                        .prepareStatement("UPDATE account SET amount = amount + 1 WHERE id = " + row);
                accounts.add(new Account(connection, update));
            }
            latencies = LatencySamples.newHistogram();
            commits = SliceMeter.newCount();
        }
    }
}
