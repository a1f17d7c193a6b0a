package io.tallystick.spring.boot.it;

import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.TallystickDrain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.jdbc.XADataSourceWrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application with two XA data sources, as a user writes it. Transfers write one row into each. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(BankApplication.BankController.class)
public class BankApplication {
    static final String READY = "READY on port ";

    private final Environment environment;

    BankApplication(Environment environment) {
        this.environment = environment;
    }

    /** Runs it in a process of its own. */
    public static void main(String[] arguments) {
        SpringApplication.run(BankApplication.class, arguments);
    }

    @Bean
    DataSource orders(XADataSourceWrapper wrapper, @Value("${bank.directory}") Path directory) throws Exception {
        return wrapper.wrapDataSource(CommitGate.besides(BankDatabase.at(directory, "orders")));
    }

    @Bean
    DataSource stock(XADataSourceWrapper wrapper, @Value("${bank.directory}") Path directory) throws Exception {
        return wrapper.wrapDataSource(CommitGate.around(BankDatabase.at(directory, "stock")));
    }

    @Bean(initMethod = "start", destroyMethod = "stop")
    Bank bank(
            PlatformTransactionManager manager,
            @Qualifier("orders") DataSource orders,
            @Qualifier("stock") DataSource stock,
            @Value("${bank.threads:0}") int threads) {
        return new Bank(manager, orders, stock, threads);
    }

    @EventListener
    void ready(ApplicationReadyEvent event) {
        System.out.println(READY + environment.getProperty("local.server.port", "none"));
    }

    /** What a test asks the application over HTTP. */
    @RestController
    static class BankController {
        private final Bank bank;
        private final ObjectProvider<NarayanaStores> stores;

        BankController(Bank bank, ObjectProvider<NarayanaStores> stores) {
            this.bank = bank;
            this.stores = stores;
        }

        @GetMapping("/balance")
        Map<String, Object> balance() {
            return bank.balance();
        }

        @PostMapping("/transfer")
        void transfer() {
            bank.transfer();
        }

        @PostMapping("/drain")
        void drain() {
            drainOfTheLog().drain(Duration.ZERO);
        }

        @PostMapping("/resume")
        void resume() {
            drainOfTheLog().resume();
        }

        private TallystickDrain drainOfTheLog() {
            return TallystickDrain.of(stores.getObject().store());
        }
    }
}
