package io.tallystick.store.postgresql;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.ats.jta.xa.XATxConverter;
import com.arjuna.ats.jta.xa.XidImple;
import io.tallystick.narayana.InstallationException;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.recover.DataSourceRecovery;
import io.tallystick.narayana.recover.NamedResource;
import io.tallystick.store.StoreConfiguration;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.postgresql.xa.PGXADataSource;

/**
 * A process that takes its node from a pool, and commits over two databases: one transaction at its start, and one
 * after the other from the line "load" on. "end" ends it cleanly, and "die" in the middle of a commit.
 */
final class PoolNode {
    static final int REFUSED = 43;
    private static final List<String> DATABASES = List.of(KilledNode.FIRST, KilledNode.SECOND);

    private static volatile boolean isDying;
    private static volatile boolean isEnding;
    private static volatile String nodeOfBranch;

    private PoolNode() {}

    /** @param arguments the port of the server, and the file of the helper of each database */
    public static void main(String[] arguments) throws Exception {
        NarayanaStores stores;
        if (Boolean.getBoolean("begin-first")) {
            TransactionManager.transactionManager().begin();
        }
        try {
            stores = NarayanaStores.install(StoreConfiguration.fromEnvironment());
        } catch (InstallationException refused) {
            System.out.println(refused.getMessage());
            System.exit(REFUSED);
            return;
        }
        RecoveryManager recovery = RecoveryManager.manager(RecoveryManager.INDIRECT_MANAGEMENT);
        for (RecoveryModule module : recovery.getModules()) {
            if (module instanceof XARecoveryModule xa) {
                for (int i = 0; i < DATABASES.size(); i++) {
                    DataSourceRecovery helper = new DataSourceRecovery();
                    helper.initialise(arguments[i + 1]);
                    xa.addXAResourceRecoveryHelper(helper);
                }
            }
        }
        recovery.initialize();
        recovery.startRecoveryManagerThread();
        List<XAConnection> connections = new ArrayList<>();
        for (String database : DATABASES) {
            connections.add(connection(arguments[0], database));
        }
        commit(connections);
        System.out.println(
                "NODE " + stores.store().description().toString().replaceAll("(?s).* node=([^\\s\"]+).*", "$1")
                        + " BRANCH " + nodeOfBranch
                        + " RECOVERY "
                        + jtaPropertyManager.getJTAEnvironmentBean().getXaRecoveryNodes());
        Thread load = new Thread(() -> load(connections));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null && !line.equals("end"); line = input.readLine()) {
            isDying = line.equals("die");
            if (!load.isAlive()) {
                load.start();
            }
        }
        isEnding = true;
        load.join();
        recovery.terminate(false);
        stores.close();
        System.out.println("ENDED");
        System.exit(0);
    }

    private static void load(List<XAConnection> connections) {
        while (!isEnding) {
            try {
                commit(connections);
            } catch (Exception failed) {
                throw new AssertionError(failed);
            }
        }
    }

    private static void commit(List<XAConnection> connections) throws Exception {
        String row = ProcessHandle.current().pid() + "-" + System.nanoTime();
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        for (int i = 0; i < connections.size(); i++) {
            XAConnection each = connections.get(i);
            manager.getTransaction()
                    .enlistResource(new NamedResource(watched(each.getXAResource(), i > 0), DATABASES.get(i)));
            try (Connection connection = each.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO line VALUES ('" + row + "')");
            }
        }
        manager.commit();
    }

    private static XAConnection connection(String port, String database) throws Exception {
        PGXADataSource source = new PGXADataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + port + "/" + database);
        source.setUser("postgres");
        return source.getXAConnection();
    }

    private static XAResource watched(XAResource resource, boolean diesHere) {
        return (XAResource) Proxy.newProxyInstance(
                PoolNode.class.getClassLoader(), new Class<?>[] {XAResource.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals("start")) {
                        nodeOfBranch = XATxConverter.getNodeName(new XidImple((Xid) arguments[0]).getXID());
                    }
                    if (isDying && diesHere && called.getName().equals("commit")) {
                        Runtime.getRuntime().halt(KilledNode.STATUS);
                    }
                    try {
                        return called.invoke(resource, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
