package io.tallystick.store.postgresql;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.net.Socket;
import java.net.SocketException;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Has a connection over TLS be closed while a thread sends on it. Java's TLS socket closes with a last message to the
 * other end. For that it waits for the thread that sends, for ever where the other end takes no bytes, unless the
 * socket has a time to linger (JDK, {@code sun.security.ssl.SSLSocketImpl.closeNotify}). A time of 0 also drops what
 * was not sent, so it is for connections that are given up.
 *
 * <p>The driver has no option for it, and shows no socket. A socket factory of ours, which the driver would take by its
 * class name, is not seen by the driver's class loader everywhere. Where its field cannot be read, nothing is changed.
 */
final class TlsClose {
    private static final System.Logger LOG = System.getLogger(TlsClose.class.getName());

    private TlsClose() {}

    /** @return whether a close of this connection waits for nobody now */
    static boolean waitForNobody(Connection connection) {
        try {
            socketOf(connection).setSoLinger(true, 0);
            return true;
        } catch (ReflectiveOperationException
                | InaccessibleObjectException
                | SecurityException
                | ClassCastException
                | LinkageError otherDriver) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0331 the socket of this version of the driver is not found (" + otherDriver
                            + "), so a connection over TLS whose other end takes no bytes may not be broken off; use"
                            + " the version that this library was built with");
            return false;
        } catch (SocketException | SQLException closed) {
            return true;
        }
    }

    /** By names alone: the driver's classes carry annotations that are not on every class path. */
    private static Socket socketOf(Connection connection) throws ReflectiveOperationException, SQLException {
        PGConnection driver = connection.unwrap(PGConnection.class);
        Object executor = driver.getClass().getMethod("getQueryExecutor").invoke(driver);
        Field field = executor.getClass().getSuperclass().getDeclaredField("pgStream");
        field.setAccessible(true);
        Object stream = field.get(executor);
        return (Socket) stream.getClass().getMethod("getSocket").invoke(stream);
    }
}
