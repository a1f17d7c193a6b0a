package org.acme;

import io.quarkus.agroal.DataSource;
import jakarta.inject.Inject;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.sql.SQLException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

@Path("/")
public class BookingResource {
    @Inject TransactionManager transactions;
    @Inject @DataSource("orders") javax.sql.DataSource orders;
    @Inject @DataSource("payments") javax.sql.DataSource payments;

    @POST
    @Path("book/{id}")
    @Transactional
    public void book(int id) throws Exception {
        write(orders, id);
        if (id == 13) {
            transactions.getTransaction().enlistResource(new Halting());
        }
        write(payments, id);
    }

    @GET
    public String count() throws SQLException {
        return "orders " + count(orders) + ", payments " + count(payments) + "\n";
    }

    private static void write(javax.sql.DataSource database, int id) throws SQLException {
        try (var connection = database.getConnection(); var statement = connection.createStatement()) {
            statement.execute("insert into booking values (" + id + ")");
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
        public void commit(Xid xid, boolean onePhase) { Runtime.getRuntime().halt(1); }
        public int prepare(Xid xid) { return XA_OK; }
        public void rollback(Xid xid) {}
        public void start(Xid xid, int flags) {}
        public void end(Xid xid, int flags) {}
        public void forget(Xid xid) {}
        public Xid[] recover(int flag) { return new Xid[0]; }
        public boolean isSameRM(XAResource other) { return other == this; }
        public int getTransactionTimeout() { return 0; }
        public boolean setTransactionTimeout(int seconds) { return false; }
    }
}
