package io.tallystick.store.postgresql;

import com.arjuna.ats.jta.TransactionManager;
import io.tallystick.narayana.recover.NamedResource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import org.postgresql.xa.PGXADataSource;

/** A node that commits over two databases, and is dead when the second one is asked to prepare or commit. */
final class KilledNode {
    static final int STATUS = 42;
    static final String FIRST = "accounts";
    static final String SECOND = "orders";

    private KilledNode() {}

    /** @param arguments the port of the server, the method at which it dies, and the number that it inserts */
    public static void main(String[] arguments) throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        XAConnection first = connection(arguments[0], FIRST);
        XAConnection second = connection(arguments[0], SECOND);
        manager.begin();
        manager.getTransaction().enlistResource(new NamedResource(first.getXAResource(), FIRST));
        manager.getTransaction()
                .enlistResource(new NamedResource(dyingAt(arguments[1], second.getXAResource()), SECOND));
        insert(first, arguments[2]);
        insert(second, arguments[2]);
        manager.commit();
        throw new AssertionError("it lives");
    }

    private static XAConnection connection(String port, String database) throws Exception {
        PGXADataSource source = new PGXADataSource();
        source.setUrl("jdbc:postgresql://127.0.0.1:" + port + "/" + database);
        source.setUser("postgres");
        return source.getXAConnection();
    }

    private static XAResource dyingAt(String method, XAResource resource) {
        return (XAResource) Proxy.newProxyInstance(
                KilledNode.class.getClassLoader(), new Class<?>[] {XAResource.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals(method)) {
                        Runtime.getRuntime().halt(STATUS);
                    }
                    try {
                        return called.invoke(resource, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static void insert(XAConnection into, String number) throws Exception {
        try (Connection connection = into.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO entry VALUES (" + number + ")");
        }
    }
}
