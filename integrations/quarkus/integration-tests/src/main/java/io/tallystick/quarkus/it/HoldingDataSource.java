package io.tallystick.quarkus.it;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.sql.ConnectionEventListener;
import javax.sql.StatementEventListener;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.h2.jdbcx.JdbcDataSource;

/**
 * H2, with one more thing: a commit of the second phase can be made to wait for ever, and says so on standard output.
 * There a test kills the process, so that the other database has committed and this one has only prepared.
 */
public class HoldingDataSource implements XADataSource {
    /** The line that says that a commit waits. */
    public static final String HELD = "held before the commit in payments";

    private static final AtomicBoolean HOLDS = new AtomicBoolean(Boolean.getBoolean("payments.hold"));

    private final JdbcDataSource h2 = new JdbcDataSource();

    /** Every commit of the second phase waits from now on. */
    static void hold() {
        HOLDS.set(true);
    }

    /** @param url of the database; the pool sets it */
    public void setUrl(String url) {
        h2.setUrl(url);
    }

    @Override
    public XAConnection getXAConnection() throws SQLException {
        return new HoldingConnection(h2.getXAConnection());
    }

    @Override
    public XAConnection getXAConnection(String user, String password) throws SQLException {
        return new HoldingConnection(h2.getXAConnection(user, password));
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return h2.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter writer) throws SQLException {
        h2.setLogWriter(writer);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        h2.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return h2.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("");
    }

    private record HoldingConnection(XAConnection connection) implements XAConnection {
        @Override
        public XAResource getXAResource() throws SQLException {
            return new HoldingResource(connection.getXAResource());
        }

        @Override
        public Connection getConnection() throws SQLException {
            return connection.getConnection();
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }

        @Override
        public void addConnectionEventListener(ConnectionEventListener listener) {
            connection.addConnectionEventListener(listener);
        }

        @Override
        public void removeConnectionEventListener(ConnectionEventListener listener) {
            connection.removeConnectionEventListener(listener);
        }

        @Override
        public void addStatementEventListener(StatementEventListener listener) {
            connection.addStatementEventListener(listener);
        }

        @Override
        public void removeStatementEventListener(StatementEventListener listener) {
            connection.removeStatementEventListener(listener);
        }
    }

    private record HoldingResource(XAResource resource) implements XAResource {
        @Override
        public void commit(Xid xid, boolean onePhase) throws XAException {
            if (!onePhase && HOLDS.get()) {
                System.out.println(HELD);
                waitForTheKill();
            }
            resource.commit(xid, onePhase);
        }

        private static void waitForTheKill() {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException stopped) {
                throw new IllegalStateException("the test must kill this process", stopped);
            }
        }

        @Override
        public void end(Xid xid, int flags) throws XAException {
            resource.end(xid, flags);
        }

        @Override
        public void forget(Xid xid) throws XAException {
            resource.forget(xid);
        }

        @Override
        public int getTransactionTimeout() throws XAException {
            return resource.getTransactionTimeout();
        }

        @Override
        public boolean isSameRM(XAResource other) throws XAException {
            return resource.isSameRM(other instanceof HoldingResource holding ? holding.resource : other);
        }

        @Override
        public int prepare(Xid xid) throws XAException {
            return resource.prepare(xid);
        }

        @Override
        public Xid[] recover(int flag) throws XAException {
            return resource.recover(flag);
        }

        @Override
        public void rollback(Xid xid) throws XAException {
            resource.rollback(xid);
        }

        @Override
        public boolean setTransactionTimeout(int seconds) throws XAException {
            return resource.setTransactionTimeout(seconds);
        }

        @Override
        public void start(Xid xid, int flags) throws XAException {
            resource.start(xid, flags);
        }
    }
}
