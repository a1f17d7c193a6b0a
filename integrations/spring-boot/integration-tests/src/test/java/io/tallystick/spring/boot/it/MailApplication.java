package io.tallystick.spring.boot.it;

import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQXAConnectionFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.jdbc.XADataSourceWrapper;
import org.springframework.boot.jms.XAConnectionFactoryWrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application with a database and a broker in its process: the one that Spring Boot configures, or two of its own.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({MailApplication.MailController.class, MailApplication.TwoBrokers.class})
public class MailApplication {
    private final Environment environment;

    MailApplication(Environment environment) {
        this.environment = environment;
    }

    /** Runs it in a process of its own. */
    public static void main(String[] arguments) {
        SpringApplication.run(MailApplication.class, arguments);
    }

    @Bean
    DataSource orders(XADataSourceWrapper wrapper, @Value("${bank.directory}") Path directory) throws Exception {
        return wrapper.wrapDataSource(CommitGate.around(BankDatabase.at(directory, "orders")));
    }

    @Bean(initMethod = "start")
    Mail mail(
            PlatformTransactionManager manager,
            DataSource orders,
            Map<String, ConnectionFactory> factories,
            @Value("${mail.sequence}") List<String> sequence,
            @Value("${mail.sends:false}") boolean sends) {
        return new Mail(manager, orders, factories, sequence, sends);
    }

    @EventListener
    void ready(ApplicationReadyEvent event) {
        System.out.println(BankApplication.READY + environment.getProperty("local.server.port", "none"));
    }

    /** Two brokers, each with a connection factory. Spring Boot configures none then. */
    @ConditionalOnBooleanProperty(name = "mail.two-brokers")
    static class TwoBrokers {
        @Bean(destroyMethod = "stop")
        EmbeddedActiveMQ parcelBroker(@Value("${bank.directory}") Path directory) throws Exception {
            return broker(21, directory.resolve("parcel-broker")).start();
        }

        @Bean
        ConnectionFactory parcels(
                XAConnectionFactoryWrapper wrapper, @Qualifier("parcelBroker") EmbeddedActiveMQ broker)
                throws Exception {
            return wrapper.wrapConnectionFactory(new ActiveMQXAConnectionFactory("vm://21"));
        }

        /** The one that a test can start later than the application. */
        @Bean(destroyMethod = "stop")
        EmbeddedActiveMQ letterBroker(
                @Value("${bank.directory}") Path directory, @Value("${mail.letters-are-down:false}") boolean isDown)
                throws Exception {
            EmbeddedActiveMQ broker = broker(22, directory.resolve("letter-broker"));
            return isDown ? broker : broker.start();
        }

        @Bean
        ConnectionFactory letters(
                XAConnectionFactoryWrapper wrapper, @Qualifier("letterBroker") EmbeddedActiveMQ broker)
                throws Exception {
            return wrapper.wrapConnectionFactory(new ActiveMQXAConnectionFactory("vm://22"));
        }

        private static EmbeddedActiveMQ broker(int number, Path directory) throws Exception {
            Configuration configuration = new ConfigurationImpl()
                    .setName("broker-" + number)
                    .setSecurityEnabled(false)
                    .setJournalType(JournalType.NIO)
                    .setJournalDirectory(directory.resolve("journal").toString())
                    .setBindingsDirectory(directory.resolve("bindings").toString())
                    .setLargeMessagesDirectory(directory.resolve("large").toString())
                    .setPagingDirectory(directory.resolve("paging").toString())
                    .addAcceptorConfiguration("vm", "vm://" + number);
            return new EmbeddedActiveMQ().setConfiguration(configuration);
        }
    }

    /** What a test asks the application over HTTP. */
    @RestController
    static class MailController {
        private final Mail mail;
        private final Map<String, EmbeddedActiveMQ> brokers;

        MailController(Mail mail, Map<String, EmbeddedActiveMQ> brokers) {
            this.mail = mail;
            this.brokers = brokers;
        }

        @GetMapping("/state")
        Map<String, Long> state() {
            return mail.state(brokers);
        }

        @PostMapping("/letters-are-up")
        void startLetters() throws Exception {
            brokers.get("letterBroker").start();
        }
    }
}
