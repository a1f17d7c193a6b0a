package org.example.wildfly;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;
import org.h2.jdbcx.JdbcDataSource;

/** H2. The commit whose number is the system property {@code halt.at} ends the process. */
public final class HaltingXADataSource implements XADataSource {
    private static final int HALT_AT = Integer.getInteger("halt.at", 0);
    private static final AtomicInteger COMMITS = new AtomicInteger();

    private final JdbcDataSource h2 = new JdbcDataSource();

    /** The property that the server's configuration sets. */
    public void setURL(String url) {
        h2.setURL(url);
    }

    @Override
    public XAConnection getXAConnection() throws SQLException {
        return halting(XAConnection.class, h2.getXAConnection());
    }

    @Override
    public XAConnection getXAConnection(String user, String password) throws SQLException {
        return halting(XAConnection.class, h2.getXAConnection(user, password));
    }

    @Override
    public PrintWriter getLogWriter() {
        return h2.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter writer) {
        h2.setLogWriter(writer);
    }

    @Override
    public int getLoginTimeout() {
        return h2.getLoginTimeout();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        h2.setLoginTimeout(seconds);
    }

    @Override
    public Logger getParentLogger() {
        return h2.getParentLogger();
    }

    private static <T> T halting(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                HaltingXADataSource.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    boolean isCommit = type == XAResource.class && method.getName().equals("commit");
                    if (isCommit && COMMITS.incrementAndGet() == HALT_AT) {
                        Runtime.getRuntime().halt(137);
                    }
                    try {
                        Object answer = method.invoke(target, arguments);
                        return method.getReturnType() == XAResource.class
                                ? halting(XAResource.class, (XAResource) answer)
                                : answer;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }));
    }
}
