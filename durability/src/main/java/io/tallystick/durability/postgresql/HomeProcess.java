package io.tallystick.durability.postgresql;

import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.jta.TransactionManager;
import io.tallystick.durability.ring.RecoveringNarayana;
import io.tallystick.durability.ring.RingNames;
import io.tallystick.durability.ring.Teller;
import io.tallystick.durability.system.LogLevels;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.recover.NamedResource;
import io.tallystick.store.StoreConfiguration;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import org.postgresql.xa.PGXADataSource;

/**
 * A node's process with Narayana and two databases. It recovers, prints the number of records left in its log, and
 * obeys orders on standard input until it is killed: to begin transactions, to scan as recovery does, and to say
 * whether its store has failed. System properties configure the store, as in an application.
 */
final class HomeProcess {
    /** The first words of the lines that it prints; the rest of the line follows a blank. */
    static final String RECOVERED = "recovered";

    static final String WAITING = "waiting";
    static final String BROKEN = "broken";
    static final String SCANNED = "scanned";
    static final String STATE = "state";
    static final String LISTING = "listing";

    /** Orders: the last one is {@code GO TIMES PHASE}, with a dot for each blank of the phase. */
    static final String SCAN = "scan";

    /** Scans, says {@link #LISTING} before it lists the branches of the first resource, and goes on when told to. */
    static final String SCAN_AND_WAIT = "scan-and-wait";

    static final String GO_ON = "go-on";

    /** Begins transactions until it is told to rest, also after some have failed. */
    static final String LOAD = "load";

    /** Lets its transactions end, says {@link #RESTED}, and begins no more. */
    static final String REST = "rest";

    static final String RESTED = "rested";
    static final String SAY_STATE = "say-state";
    static final String GO = "go";

    /** What it says of a store that has failed. */
    static final String FAILED = "failed";

    /** The number of threads that begin transactions. */
    static final int THREADS = 4;

    private static final int SCANS = 4;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final PrintStream out;
    private final int port;
    private final String name;
    private final NarayanaStores stores;
    private final BufferedReader orders =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    // Of the main thread.
    private RecoveringNarayana recovery;
    private boolean waitsInScan;
    private List<Thread> loads = new ArrayList<>();
    private volatile boolean isResting;
    private final AtomicInteger steps = new AtomicInteger();
    private final AtomicInteger transactions = new AtomicInteger();
    private volatile String phase = "";
    private volatile int times;
    private volatile boolean isHalted;

    private HomeProcess(PrintStream out, int port, NarayanaStores stores) {
        this.out = out;
        this.port = port;
        this.name = "p" + ProcessHandle.current().pid();
        this.stores = stores;
    }

    /** The system properties that it needs besides those of the store. */
    static Map<String, String> properties(String nodeId, String others) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", RingNames.class.getName());
        // A branch without a log record is rolled back by the second pass that sees it, instead of after 20 seconds.
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "0");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        // Two machines that are cut off from each other cannot ask whether an action of the other one goes on.
        properties.put("CoordinatorEnvironmentBean.transactionStatusManagerEnable", "false");
        properties.put("ObjectStoreEnvironmentBean.objectStoreDir", others);
        properties.put("CoreEnvironmentBean.nodeIdentifier", nodeId);
        properties.put("JTAEnvironmentBean.xaRecoveryNodes", nodeId);
        return properties;
    }

    /** @param arguments the port of the server of both databases */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        LogLevels.silence();
        NarayanaStores stores = NarayanaStores.install(StoreConfiguration.fromEnvironment());
        HomeProcess home = new HomeProcess(out, Integer.parseInt(arguments[0]), stores);
        home.say(RECOVERED, String.valueOf(home.recover()));
        home.obeyUntil("");
        Runtime.getRuntime().halt(0);
    }

    /** Obeys until this order, or until there are no more. */
    private void obeyUntil(String last) throws IOException {
        for (String order = orders.readLine(); order != null && !order.equals(last); order = orders.readLine()) {
            obey(order.split(" "));
        }
    }

    private void say(String what, String rest) {
        synchronized (out) {
            out.println(what + " " + rest);
            out.flush();
        }
    }

    private void obey(String... order) {
        switch (order[0]) {
            case SCAN, SCAN_AND_WAIT -> {
                waitsInScan = order[0].equals(SCAN_AND_WAIT);
                recovery.scan();
                say(SCANNED, recordsLeft());
            }
            case SAY_STATE -> say(STATE, stores.store().failure().isPresent() ? FAILED : "works");
            case LOAD -> {
                isResting = false;
                for (int i = 0; i < THREADS; i++) {
                    Thread load = new Thread(this::load, "load-" + i);
                    loads.add(load);
                    load.start();
                }
            }
            case REST -> {
                isResting = true;
                loads.forEach(HomeProcess::join);
                loads.clear();
                say(RESTED, "");
            }
            case GO -> {
                steps.set(0);
                times = Integer.parseInt(order[1]);
                phase = order[2].replace('.', ' ');
                for (int i = 0; i < THREADS; i++) {
                    new Thread(this::transact, "home-" + i).start();
                }
            }
            default -> throw new IllegalArgumentException(order[0]);
        }
    }

    /** Recovers and answers the number of records left in the log. */
    private int recover() throws IOException, SQLException, ObjectStoreException {
        List<XAResource> resources = new ArrayList<>();
        for (String database : TwoDatabases.NAMES) {
            resources.add(new NamedResource(waiting(connection(database).getXAResource()), database));
        }
        recovery = new RecoveringNarayana(resources);
        recovery.scan(); // the first pass sees the branches of the process before
        recovery.scan();
        for (int i = 2; i < SCANS && RecoveringNarayana.records() > 0; i++) {
            recovery.scan();
        }
        return RecoveringNarayana.records();
    }

    /** The number of records left, in words where the store does not say. */
    private static String recordsLeft() {
        try {
            return String.valueOf(RecoveringNarayana.records());
        } catch (IOException | ObjectStoreException notSaid) {
            return "unknown";
        }
    }

    private XAConnection connection(String database) throws SQLException {
        PGXADataSource source = new PGXADataSource();
        source.setUrl(TwoDatabases.url(port, database));
        return source.getXAConnection();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }

    private List<XAConnection> connections() throws SQLException {
        List<XAConnection> connections = new ArrayList<>();
        for (String database : TwoDatabases.NAMES) {
            connections.add(connection(database));
        }
        return connections;
    }

    /** Transactions one after the other, each pair of branches on connections of its own after a failure. */
    private void load() {
        List<XAConnection> connections = List.of();
        while (!isResting) {
            String transaction = name + "-" + transactions.incrementAndGet();
            try {
                if (connections.isEmpty()) {
                    connections = connections();
                }
                transact(transaction, connections);
                say(Teller.COMMITTED, transaction);
            } catch (Exception failed) { // nothing was promised
                close(connections);
                connections = List.of();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        close(connections);
    }

    private static void close(List<XAConnection> connections) {
        try {
            jakarta.transaction.TransactionManager jta = TransactionManager.transactionManager();
            if (jta.getStatus() != Status.STATUS_NO_TRANSACTION) {
                jta.rollback();
            }
            for (XAConnection each : connections) {
                each.close();
            }
        } catch (SystemException | SQLException broken) {
            throw new IllegalStateException(broken);
        }
    }

    private void transact() {
        try {
            List<XAConnection> connections = connections();
            while (true) {
                String transaction = name + "-" + transactions.incrementAndGet();
                transact(transaction, connections);
                say(Teller.COMMITTED, transaction);
                step("after transaction");
            }
        } catch (Exception failed) {
            say(BROKEN, failed.toString().replace('\n', ' '));
        }
    }

    private void transact(String transaction, List<XAConnection> connections) throws Exception {
        jakarta.transaction.TransactionManager jta = TransactionManager.transactionManager();
        jta.begin();
        for (int i = 0; i < connections.size(); i++) {
            XAResource stepping = stepping(connections.get(i).getXAResource());
            jta.getTransaction().enlistResource(new NamedResource(stepping, TwoDatabases.NAMES.get(i)));
            try (Connection connection = connections.get(i).getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO entry VALUES ('" + transaction + "')");
            }
        }
        jta.commit();
    }

    /** What is done around a call of a resource. */
    private interface Around {
        Object call(String name, Callable<Object> called) throws Exception;
    }

    /** The resource, with a step before and after prepare and commit. */
    private XAResource stepping(XAResource resource) {
        return with(resource, (name, called) -> {
            boolean isStep = name.equals("prepare") || name.equals("commit");
            if (isStep) {
                step("before " + name);
            }
            Object result = called.call();
            if (isStep) {
                step("after " + name);
            }
            return result;
        });
    }

    /** The resource of recovery, which may wait before it lists its branches. */
    private XAResource waiting(XAResource resource) {
        return with(resource, (name, called) -> {
            if (waitsInScan && name.equals("recover")) {
                waitsInScan = false;
                say(LISTING, "");
                obeyUntil(GO_ON);
            }
            return called.call();
        });
    }

    private static XAResource with(XAResource resource, Around around) {
        return (XAResource) Proxy.newProxyInstance(
                HomeProcess.class.getClassLoader(),
                new Class<?>[] {XAResource.class},
                (proxy, called, arguments) -> around.call(called.getName(), () -> {
                    try {
                        return called.invoke(resource, arguments);
                    } catch (InvocationTargetException thrown) {
                        if (thrown.getCause() instanceof Exception told) {
                            throw told;
                        }
                        throw thrown;
                    }
                }));
    }

    /** At the chosen step the thread prints that it waits. From then on each thread waits for ever at its next step. */
    private void step(String what) {
        if (isHalted || what.equals(phase) && steps.incrementAndGet() == times) {
            if (!isHalted) {
                isHalted = true;
                say(WAITING, what);
            }
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException nobodyDoes) {
                throw new IllegalStateException(nobodyDoes);
            }
        }
    }
}
