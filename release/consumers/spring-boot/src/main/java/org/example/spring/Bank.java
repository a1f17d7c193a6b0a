package org.example.spring;

import jakarta.transaction.TransactionManager;
import javax.sql.DataSource;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jdbc.XADataSourceWrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Writes one row into each of two databases and ends between their commits, where the argument is {@code halt}. Waits
 * until both have it otherwise.
 */
@SpringBootApplication
public class Bank {
    public static void main(String[] arguments) {
        System.exit(SpringApplication.exit(SpringApplication.run(Bank.class, arguments)));
    }

    @Bean
    DataSource orders(XADataSourceWrapper wrapper) throws Exception {
        return wrapper.wrapDataSource(database("orders"));
    }

    @Bean
    DataSource stock(XADataSourceWrapper wrapper) throws Exception {
        return wrapper.wrapDataSource(database("stock"));
    }

    private static JdbcDataSource database(String name) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:./" + name
                + ";DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=0;OPTIMIZE_REUSE_RESULTS=0");
        source.setUser("sa");
        return source;
    }

    @Bean
    CommandLineRunner transfer(
            PlatformTransactionManager manager,
            TransactionManager transactions,
            @Qualifier("orders") DataSource orders,
            @Qualifier("stock") DataSource stock) {
        return arguments -> {
            JdbcTemplate one = new JdbcTemplate(orders);
            JdbcTemplate two = new JdbcTemplate(stock);
            if (arguments.length > 0 && arguments[0].equals("halt")) {
                one.execute("create table entry(id bigint)");
                two.execute("create table entry(id bigint)");
                new TransactionTemplate(manager).executeWithoutResult(status -> {
                    one.update("insert into entry values (1)");
                    enlist(transactions, new Halting());
                    two.update("insert into entry values (1)");
                });
            }
            long end = System.nanoTime() + 60_000_000_000L;
            while (count(one) + count(two) < 2 && System.nanoTime() < end) {
                Thread.sleep(200);
            }
            System.out.println("orders=" + count(one) + " stock=" + count(two));
        };
    }

    private static void enlist(TransactionManager transactions, XAResource resource) {
        try {
            transactions.getTransaction().enlistResource(resource);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static long count(JdbcTemplate database) {
        return database.queryForObject("select count(*) from entry", Long.class);
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
