package org.example.wildfly;

import jakarta.annotation.Resource;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** {@code /buy} writes one row into each of two databases in one transaction, {@code /state} counts the rows. */
@WebServlet({"/buy", "/state"})
public final class Shop extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Resource(lookup = "java:jboss/datasources/OrdersDS")
    private transient DataSource orders;

    @Resource(lookup = "java:jboss/datasources/StockDS")
    private transient DataSource stock;

    @Resource
    private transient UserTransaction transaction;

    @Override
    public void init() throws ServletException {
        try {
            execute(orders, "create table if not exists item (id uuid default random_uuid() primary key)");
            execute(stock, "create table if not exists item (id uuid default random_uuid() primary key)");
        } catch (SQLException failed) {
            throw new ServletException(failed);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        try {
            if (request.getServletPath().equals("/buy")) {
                buy();
            }
            response.getWriter().print("orders=" + count(orders) + " stock=" + count(stock));
        } catch (Exception failed) {
            throw new ServletException(failed);
        }
    }

    private void buy() throws Exception {
        transaction.begin();
        try {
            execute(orders, "insert into item default values");
            execute(stock, "insert into item default values");
        } catch (SQLException failed) {
            transaction.rollback();
            throw failed;
        }
        transaction.commit();
    }

    private static void execute(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int count(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from item")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
