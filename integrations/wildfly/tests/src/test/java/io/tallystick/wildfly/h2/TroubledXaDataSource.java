package io.tallystick.wildfly.h2;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.h2.jdbcx.JdbcDataSource;

/**
 * H2, with trouble at the second phase of a commit when a file in the directory of the system property {@code trouble}
 * says so: {@code pause} stops the commit for ever, {@code away} answers that the database is not there, {@code
 * heuristic} commits and answers with a heuristic hazard. A commit that is stopped leaves a file {@code paused}.
 */
public final class TroubledXaDataSource implements XADataSource {
    private final JdbcDataSource h2 = new JdbcDataSource();

    /** The property that the server's configuration sets. */
    public void setURL(String url) {
        h2.setURL(url);
    }

    @Override
    public XAConnection getXAConnection() throws SQLException {
        return troubled(h2.getXAConnection());
    }

    @Override
    public XAConnection getXAConnection(String user, String password) throws SQLException {
        return troubled(h2.getXAConnection(user, password));
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

    private static XAConnection troubled(XAConnection connection) {
        return proxy(XAConnection.class, (proxy, method, arguments) -> {
            Object answer = call(connection, method, arguments);
            return answer instanceof XAResource resource ? troubled(resource) : answer;
        });
    }

    private static XAResource troubled(XAResource resource) {
        return proxy(XAResource.class, (proxy, method, arguments) -> {
            Path trouble = Path.of(System.getProperty("trouble"));
            boolean isCommit = method.getName().equals("commit");
            if (isCommit && Files.exists(trouble.resolve("pause"))) {
                pause(trouble);
            }
            if (isCommit && Files.exists(trouble.resolve("away"))) {
                throw new XAException(XAException.XAER_RMFAIL);
            }
            Object answer = call(resource, method, arguments);
            if (isCommit && Files.exists(trouble.resolve("heuristic"))) {
                throw new XAException(XAException.XA_HEURHAZ);
            }
            return answer;
        });
    }

    private static void pause(Path trouble) {
        try {
            Files.writeString(trouble.resolve("paused"), "");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        while (true) {
            LockSupport.park();
        }
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(TroubledXaDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
