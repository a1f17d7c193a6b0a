package io.tallystick.wildfly.app;

import jakarta.annotation.Resource;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/** {@code /buy?id=7} writes 7 into both databases, {@code /state} compares them. */
@WebServlet({"/buy", "/state"})
public final class ShopServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Resource(lookup = "java:jboss/datasources/OrdersDS")
    private transient DataSource orders;

    @Resource(lookup = "java:jboss/datasources/StockDS")
    private transient DataSource stock;

    @Resource
    private transient UserTransaction transaction;

    @Override
    public void init() throws ServletException {
        for (DataSource database : new DataSource[] {orders, stock}) {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("create table if not exists item (id bigint primary key)");
            } catch (SQLException failed) {
                throw new ServletException(failed);
            }
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            response.getWriter()
                    .print(request.getServletPath().equals("/buy") ? buy(request.getParameter("id")) : state());
        } catch (Exception failed) {
            response.setStatus(500);
            response.getWriter().print(failed);
        }
    }

    // Narayana commits in the order in which the resources were enlisted: orders, then stock.
    private String buy(String id) throws Exception {
        transaction.begin();
        try {
            insert(orders, id);
            insert(stock, id);
        } catch (SQLException failed) {
            transaction.rollback();
            throw failed;
        }
        transaction.commit();
        return "bought";
    }

    private String state() throws SQLException {
        Set<Long> ordered = ids(orders);
        Set<Long> taken = ids(stock);
        Set<Long> differing = new TreeSet<>(ordered);
        differing.removeAll(taken);
        taken.stream().filter(id -> !ordered.contains(id)).forEach(differing::add);
        return "rows=" + ordered.size() + " prepared=" + (prepared(orders) + prepared(stock)) + " differing="
                + differing;
    }

    private static void insert(DataSource database, String id) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into item values (?)")) {
            insert.setLong(1, Long.parseLong(id));
            insert.executeUpdate();
        }
    }

    private static Set<Long> ids(DataSource database) throws SQLException {
        Set<Long> ids = new TreeSet<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select id from item")) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        return ids;
    }

    private static int prepared(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from information_schema.in_doubt")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
