package org.example.quarkus;

import io.quarkus.agroal.DataSource;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * Writes one row into each of two databases and ends between their commits, where the argument is {@code halt}. Waits
 * until both have it otherwise.
 */
@QuarkusMain
public class Bookings implements QuarkusApplication {
    @Inject
    TransactionManager transactions;

    @Inject
    @DataSource("orders")
    javax.sql.DataSource orders;

    @Inject
    @DataSource("stock")
    javax.sql.DataSource stock;

    @Override
    public int run(String... arguments) throws Exception {
        if (arguments.length > 0 && arguments[0].equals("halt")) {
            transactions.begin();
            write(orders);
            transactions.getTransaction().enlistResource(new Halting());
            write(stock);
            transactions.commit();
        }
        long end = System.nanoTime() + 60_000_000_000L;
        while (count(orders) + count(stock) < 2 && System.nanoTime() < end) {
            Thread.sleep(200);
        }
        System.out.println("orders=" + count(orders) + " stock=" + count(stock));
        return 0;
    }

    private static void write(javax.sql.DataSource database) throws SQLException {
        try (var connection = database.getConnection();
                var statement = connection.createStatement()) {
            statement.execute("insert into booking values (1)");
        }
    }

    private static int count(javax.sql.DataSource database) throws SQLException {
        try (var connection = database.getConnection();
                var rows = connection.createStatement().executeQuery("select count(*) from booking")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    /** A resource between the two databases. Its commit is the end of the process. */
    private static final class Halting implements XAResource {
        @Override
        public void commit(Xid xid, boolean onePhase) {
            Runtime.getRuntime().halt(137);
        }

        @Override
        public int prepare(Xid xid) {
            return XA_OK;
        }

        @Override
        public void rollback(Xid xid) {}

        @Override
        public void start(Xid xid, int flags) {}

        @Override
        public void end(Xid xid, int flags) {}

        @Override
        public void forget(Xid xid) {}

        @Override
        public Xid[] recover(int flag) {
            return new Xid[0];
        }

        @Override
        public boolean isSameRM(XAResource other) {
            return other == this;
        }

        @Override
        public int getTransactionTimeout() {
            return 0;
        }

        @Override
        public boolean setTransactionTimeout(int seconds) {
            return false;
        }
    }
}
