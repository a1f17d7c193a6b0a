package io.tallystick.durability.settle;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/** The sessions that a server of PostgreSQL has for processes that were killed. */
final class ServerSessions {
    private static final int PATIENCE_SECONDS = 60;
    private static final int POLL_MILLIS = 10;

    private ServerSessions() {}

    /**
     * Returns when the server has ended them.
     *
     * @param count a query that counts them
     * @throws IOException it does not, or cannot be asked
     */
    static void awaitEnd(String url, String count) throws IOException, InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (isAnyLeft(url, count)) {
            if (System.nanoTime() > deadlineNanos) {
                throw new IOException("the server does not end the sessions of a killed process");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private static boolean isAnyLeft(String url, String count) throws IOException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet counted = statement.executeQuery(count)) {
            counted.next();
            return counted.getInt(1) > 0;
        } catch (SQLException failed) {
            throw new IOException(failed);
        }
    }
}
