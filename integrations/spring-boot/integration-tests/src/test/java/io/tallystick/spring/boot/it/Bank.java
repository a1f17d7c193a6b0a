package io.tallystick.spring.boot.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Writes one row into each of two databases in one transaction, also from threads of its own. */
final class Bank {
    private final TransactionTemplate transactions;
    private final JdbcTemplate orders;
    private final JdbcTemplate stock;
    private final int threads;
    private final List<Thread> running = new ArrayList<>();
    private volatile boolean isStopping;

    Bank(PlatformTransactionManager manager, DataSource orders, DataSource stock, int threads) {
        this.transactions = new TransactionTemplate(manager);
        this.orders = new JdbcTemplate(orders);
        this.stock = new JdbcTemplate(stock);
        this.threads = threads;
    }

    void start() {
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(this::transferUntilStopped, "bank-" + i);
            thread.setDaemon(true);
            running.add(thread);
            thread.start();
        }
    }

    void stop() throws InterruptedException {
        isStopping = true;
        for (Thread thread : running) {
            thread.join();
        }
    }

    private void transferUntilStopped() {
        while (!isStopping) {
            transfer();
        }
    }

    void transfer() {
        long id = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
        transactions.executeWithoutResult(status -> {
            orders.update("insert into entry values (?)", id);
            stock.update("insert into entry values (?)", id);
        });
    }

    /** How many rows each database has, which ones only one of them has, and the branches in doubt. */
    Map<String, Object> balance() {
        Counts ofOrders = counts(orders);
        Counts ofStock = counts(stock);
        Set<Long> onlyOne = new TreeSet<>(ofOrders.rows());
        onlyOne.removeAll(ofStock.rows());
        Set<Long> onlyTwo = new TreeSet<>(ofStock.rows());
        onlyTwo.removeAll(ofOrders.rows());
        return Map.of(
                "orders",
                ofOrders.rows().size(),
                "stock",
                ofStock.rows().size(),
                "different",
                onlyOne.size() + onlyTwo.size(),
                "inDoubt",
                ofOrders.inDoubt() + ofStock.inDoubt());
    }

    private static Counts counts(JdbcTemplate database) {
        return database.execute((Connection connection) -> {
            try (Statement statement = connection.createStatement()) {
                return new Counts(BankDatabase.rows(statement), BankDatabase.inDoubt(statement));
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
        });
    }

    private record Counts(Set<Long> rows, int inDoubt) {}
}
