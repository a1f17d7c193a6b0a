package io.tallystick.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.narayana.TallystickTransactionManager;
import io.tallystick.spring.boot.BeanNamedXAConnectionFactoryWrapper;
import io.tallystick.spring.boot.BeanNamedXADataSourceWrapper;
import jakarta.jms.XAConnectionFactory;
import jakarta.transaction.TransactionManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.apache.activemq.artemis.jms.client.ActiveMQXAConnectionFactory;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.XADataSourceWrapper;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.MapPropertySource;

/** Several application contexts in one process, one after the other and at once, as in tests and with devtools. */
class SpringContextTest {
    static {
        System.setProperty("JTAEnvironmentBean.orphanSafetyInterval", "2000");
    }

    @TempDir
    Path directory;

    @Test
    void aContextIsReloadedAndRecoveryOfTheNextOneFinishesWhatTheFormerOneLeft() {
        for (int life = 1; life <= 3; life++) {
            try (ConfigurableApplicationContext context = start("reloaded")) {
                int rows = 2 * (life - 1);
                Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(balance(context))
                        .containsEntry("different", 0)
                        .containsEntry("orders", rows));

                context.getBean(Bank.class).transfer();
                RecoveryManager.manager().suspend(false, false);
                CommitGate.CRASHES.set(1);
                context.getBean(Bank.class).transfer();
                assertThat(balance(context)).containsEntry("different", 1);
                RecoveryManager.manager().resume();
            }
        }
    }

    @Test
    void aContextWithAnotherDirectoryMayFollow() {
        start("one").close();
        try (ConfigurableApplicationContext context = start("two")) {
            context.getBean(Bank.class).transfer();
            assertThat(context.getBean(NarayanaStores.class)
                            .store()
                            .description()
                            .directory())
                    .contains(directory.resolve("two/log/TallystickObjectStore"));
        }
    }

    @Test
    void contextsWithTheSameSettingsShareTheStoreAndRecovery() {
        try (ConfigurableApplicationContext first = start("shared")) {
            try (ConfigurableApplicationContext second = start("shared")) {
                assertThat(second.getBean(NarayanaStores.class).store())
                        .isSameAs(first.getBean(NarayanaStores.class).store());
                second.getBean(Bank.class).transfer();
            }
            CommitGate.CRASHES.set(1);
            first.getBean(Bank.class).transfer();

            // By the periodic recovery, which the end of the second context must not stop.
            Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(balance(first))
                    .containsEntry("orders", 2)
                    .containsEntry("different", 0));
        }
    }

    @Test
    void aContextWithOtherSettingsIsRefusedWithAdvice() {
        try (ConfigurableApplicationContext first = start("first")) {
            assertThatThrownBy(() -> start("second"))
                    .hasStackTraceContaining("TALLY0418")
                    .hasStackTraceContaining("@DirtiesContext");
            first.getBean(Bank.class).transfer();
        }
    }

    /** Without a SpringApplication no failure analysis prints the reason. */
    @Test
    void aContextThatAProgramMakesItselfHasTheReasonInTheLog() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "no directory");
        List<String> errors = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getLevel().equals(Level.SEVERE)) {
                    errors.add(line.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(TallystickObjectStore.class.getName());
        logger.addHandler(handler);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource(
                            "test",
                            Map.of(
                                    "bank.directory", directory.toString(),
                                    "narayana.log-dir", directory.resolve("log").toString(),
                                    "narayana.node-identifier", "node",
                                    "tallystick.directory", file.toString())));
            context.register(BankApplication.class);
            assertThatThrownBy(context::refresh).hasStackTraceContaining("is not a directory");
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(errors).singleElement().asString().contains("TALLY0415", "TALLY0010", file.toString());
    }

    @Test
    void aContextMayFollowOneThatWasDrained() {
        start("drained", "--tallystick.drain.on-shutdown=true", "--tallystick.drain.timeout=1ms")
                .close();
        try (ConfigurableApplicationContext next = start("drained")) {
            next.getBean(Bank.class).transfer();
            assertThat(balance(next)).containsEntry("orders", 1).containsEntry("stock", 1);
        }
    }

    @Test
    void theRecordStaysWhileOneOfTwoDataSourcesCannotBeReached() {
        try (ConfigurableApplicationContext context = start("named")) {
            NarayanaStores stores = context.getBean(NarayanaStores.class);
            RecoveryManager.manager().suspend(false, false);
            CommitGate.CRASHES.set(1);
            context.getBean(Bank.class).transfer();
            CommitGate.IS_CLOSED.set(true);
            RecoveryManager.manager().resume();

            RecoveryManager.manager().scan();
            RecoveryManager.manager().scan();
            assertThat(stores.health().inDoubt()).hasValue(1);

            CommitGate.IS_CLOSED.set(false);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(stores.health().inDoubt()).hasValue(0));
            assertThat(balance(context)).containsEntry("different", 0);
        } finally {
            CommitGate.IS_CLOSED.set(false);
            CommitGate.CRASHES.set(0);
        }
    }

    @Test
    void anXaDataSourceWithoutANameOfItsOwnIsRefused() throws Exception {
        assertThatThrownBy(() -> start(TwoInOneBean.class, "two"))
                .hasStackTraceContaining("TALLY0703 two XA resources have the name 'both'");

        try (ConfigurableApplicationContext context = start("one")) {
            BeanNamedXADataSourceWrapper wrapper = context.getBean(BeanNamedXADataSourceWrapper.class);
            JdbcDataSource more = BankDatabase.at(directory.resolve("one"), "more");
            assertThatThrownBy(() -> wrapper.wrapDataSource(more))
                    .hasMessageContaining("TALLY0703 an XA data source was wrapped outside of a @Bean method");
            assertThatThrownBy(() -> wrapper.wrapDataSource("stock", more)).hasMessageContaining("TALLY0703");
            assertThat(wrapper.wrapDataSource("more", more)).isNotNull();
        }
    }

    @Test
    void theReaperIsOptIn() {
        try (ConfigurableApplicationContext plain = start("plain")) {
            assertThat(plain.getBean(TransactionManager.class)).isNotInstanceOf(TallystickTransactionManager.class);
        }
        try (ConfigurableApplicationContext timed =
                start("timed", "--tallystick.reaper.enabled=true", "--tallystick.reaper.precision=20ms")) {
            assertThat(timed.getBean(TransactionManager.class)).isInstanceOf(TallystickTransactionManager.class);
            timed.getBean(Bank.class).transfer();
        }
        try (ConfigurableApplicationContext plain = start("plain")) {
            assertThat(plain.getBean(TransactionManager.class)).isNotInstanceOf(TallystickTransactionManager.class);
            plain.getBean(Bank.class).transfer();
        }
    }

    @Test
    void anXaConnectionFactoryWithoutANameOfItsOwnIsRefused() throws Exception {
        try (ConfigurableApplicationContext context = start("one")) {
            BeanNamedXAConnectionFactoryWrapper wrapper = context.getBean(BeanNamedXAConnectionFactoryWrapper.class);
            XAConnectionFactory broker = new ActiveMQXAConnectionFactory("vm://23");
            assertThatThrownBy(() -> wrapper.wrapConnectionFactory(broker))
                    .hasMessageContaining("TALLY0703 an XA connection factory was wrapped outside of a @Bean method");
            assertThatThrownBy(() -> wrapper.wrapConnectionFactory("stock", broker))
                    .as("the name of a data source")
                    .hasMessageContaining("TALLY0703 two XA resources have the name 'stock'");
            assertThat(wrapper.wrapConnectionFactory("letters", broker)).isNotNull();
        }
    }

    private static Map<String, Object> balance(ConfigurableApplicationContext context) {
        return context.getBean(Bank.class).balance();
    }

    private ConfigurableApplicationContext start(String name, String... more) {
        return start(BankApplication.class, name, more);
    }

    private ConfigurableApplicationContext start(Class<?> application, String name, String... more) {
        Path place = directory.resolve(name);
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(
                        "bank.directory=" + place,
                        "narayana.log-dir=" + place.resolve("log"),
                        // The one of the first context is that of the process, whatever later ones say.
                        "narayana.node-identifier=node",
                        // The bank sends no messages.
                        "spring.autoconfigure.exclude="
                                + "org.springframework.boot.artemis.autoconfigure.ArtemisAutoConfiguration",
                        "narayana.periodic-recovery-period=1",
                        "narayana.recovery-backoff-period=1")
                .run(more);
    }

    /** What a user may write by mistake. */
    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class TwoInOneBean {
        @Bean
        DataSource both(XADataSourceWrapper wrapper, @Value("${bank.directory}") Path directory) throws Exception {
            wrapper.wrapDataSource(BankDatabase.at(directory, "one"));
            return wrapper.wrapDataSource(BankDatabase.at(directory, "two"));
        }
    }
}
