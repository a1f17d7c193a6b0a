package bank;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jdbc.XADataSourceWrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class Bank {
    public static void main(String[] arguments) {
        SpringApplication.run(Bank.class, arguments);
    }

    @Bean
    DataSource orders(XADataSourceWrapper wrapper) throws Exception {
        return wrapper.wrapDataSource(database("orders"));
    }

    @Bean
    DataSource stock(XADataSourceWrapper wrapper) throws Exception {
        XADataSource stock = database("stock");
        return wrapper.wrapDataSource(Boolean.getBoolean("die") ? dying(XADataSource.class, stock) : stock);
    }

    private static JdbcDataSource database(String name) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:./" + name + ";DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE");
        source.setUser("sa");
        return source;
    }

    /** For this trial only: a database at whose commit the process dies. */
    private static <T> T dying(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                Bank.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        Runtime.getRuntime().halt(137);
                    }
                    Object answer = method.invoke(target, arguments);
                    boolean leadsToCommit =
                            Set.of(XAConnection.class, XAResource.class).contains(method.getReturnType());
                    return leadsToCommit ? dying(method.getReturnType(), answer) : answer;
                }));
    }

    @RestController
    static class Transfers {
        private final JdbcTemplate orders;
        private final JdbcTemplate stock;

        Transfers(@Qualifier("orders") DataSource orders, @Qualifier("stock") DataSource stock) {
            this.orders = new JdbcTemplate(orders);
            this.stock = new JdbcTemplate(stock);
            this.orders.execute("create table if not exists entry(id bigint)");
            this.stock.execute("create table if not exists entry(id bigint)");
        }

        @PostMapping("/transfer")
        @Transactional
        public void transfer() {
            long id = ThreadLocalRandom.current().nextLong();
            orders.update("insert into entry values (?)", id);
            stock.update("insert into entry values (?)", id);
        }

        @GetMapping("/balance")
        public Map<String, Long> balance() {
            return Map.of("orders", count(orders), "stock", count(stock));
        }

        private static long count(JdbcTemplate database) {
            return database.queryForObject("select count(*) from entry", Long.class);
        }
    }
}
