package io.tallystick.quarkus.it;

import io.quarkus.agroal.DataSource;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Bookings that two databases must agree about. */
@ApplicationScoped
public class Bookings {
    private static final System.Logger LOG = System.getLogger(Bookings.class.getName());

    private final javax.sql.DataSource orders;
    private final javax.sql.DataSource payments;

    /** @param orders one database, @param payments the other */
    @Inject
    public Bookings(
            @DataSource("orders") javax.sql.DataSource orders, @DataSource("payments") javax.sql.DataSource payments) {
        this.orders = orders;
        this.payments = payments;
    }

    void makeTables(@Observes StartupEvent event) {
        for (javax.sql.DataSource database : List.of(orders, payments)) {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("create table if not exists booking (id int primary key)");
            } catch (SQLException unreachable) {
                // A test starts this application while one database cannot be reached.
                LOG.log(System.Logger.Level.WARNING, "a database cannot be reached", unreachable);
            }
        }
    }

    /** Books in both databases, or in neither. */
    @Transactional
    public void book(int id) throws SQLException {
        insert(orders, id);
        insert(payments, id);
    }

    /** The bookings in {@code orders}. */
    public List<Integer> inOrders() throws SQLException {
        return all(orders);
    }

    /** The bookings in {@code payments}. */
    public List<Integer> inPayments() throws SQLException {
        return all(payments);
    }

    private static void insert(javax.sql.DataSource database, int id) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into booking values (?)")) {
            insert.setInt(1, id);
            insert.executeUpdate();
        }
    }

    private static List<Integer> all(javax.sql.DataSource database) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select id from booking order by id")) {
            while (rows.next()) {
                ids.add(rows.getInt(1));
            }
        }
        return ids;
    }
}
