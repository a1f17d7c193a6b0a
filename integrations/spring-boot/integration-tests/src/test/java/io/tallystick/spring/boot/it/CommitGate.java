package io.tallystick.spring.boot.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.h2.jdbcx.JdbcDataSource;

/**
 * A real data source whose second phase a test can stop at: the commit with a chosen number never comes back, or the
 * database crashes.
 *
 * <p>A commit is on disk when it returns, as XA demands. H2 alone writes it some time later.
 */
final class CommitGate {
    static final String AT_THE_GATE = "AT THE GATE";

    /** The commit that does not come back, counted from 1; 0 for none. */
    static final AtomicInteger STOP_AT = new AtomicInteger(Integer.getInteger("bank.stop-at", 0));

    /** The commit that is done and does not come back, counted from 1; 0 for none. */
    private static final int STOP_AFTER = Integer.getInteger("bank.stop-after", 0);

    /** At how many commits the database crashes. It comes back with the next connection. */
    static final AtomicInteger CRASHES = new AtomicInteger();

    /** Whether no connection can be made. */
    static final AtomicBoolean IS_CLOSED = new AtomicBoolean();

    private static final AtomicInteger COMMITS = new AtomicInteger();

    private CommitGate() {}

    /** The data source, with the gate before its commits. */
    static XADataSource around(JdbcDataSource source) {
        return proxy(XADataSource.class, source, source, true);
    }

    /** The data source without the gate. */
    static XADataSource besides(JdbcDataSource source) {
        return proxy(XADataSource.class, source, source, false);
    }

    private static <T> T proxy(Class<T> type, T target, JdbcDataSource source, boolean isGate) {
        return type.cast(Proxy.newProxyInstance(
                CommitGate.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return switch (method.getName()) {
                            case "equals" -> self == arguments[0];
                            case "hashCode" -> System.identityHashCode(self);
                            default -> "gate of " + target;
                        };
                    }
                    boolean isConnecting = type == XADataSource.class && method.getReturnType() == XAConnection.class;
                    boolean isCommit =
                            type == XAResource.class && method.getName().equals("commit");
                    if (isGate && isConnecting && IS_CLOSED.get()) {
                        throw new SQLException("the database cannot be reached");
                    }
                    int number = isGate && isCommit ? beforeCommit(source) : 0;
                    try {
                        Object answer = method.invoke(target, arguments);
                        if (isCommit) {
                            BankDatabase.force(source);
                        }
                        if (number > 0 && number == STOP_AFTER) {
                            stop();
                        }
                        // By the declared type: one object of H2 is both.
                        if (method.getReturnType() == XAConnection.class) {
                            return proxy(XAConnection.class, (XAConnection) answer, source, isGate);
                        }
                        return method.getReturnType() == XAResource.class
                                ? proxy(XAResource.class, (XAResource) answer, source, isGate)
                                : answer;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }));
    }

    /** The number of the commit. */
    private static int beforeCommit(JdbcDataSource source) throws XAException, InterruptedException, SQLException {
        if (CRASHES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            BankDatabase.crash(source);
            throw new XAException(XAException.XAER_RMFAIL);
        }
        int number = COMMITS.incrementAndGet();
        if (number == STOP_AT.get()) {
            stop();
        }
        return number;
    }

    private static void stop() throws InterruptedException {
        System.out.println(AT_THE_GATE);
        new CountDownLatch(1).await();
    }
}
