package io.tallystick.spring.boot.it;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Writes a row and sends messages in one transaction. Narayana commits in the sequence that is given. */
final class Mail {
    static final String DATABASE = "database";
    private static final String QUEUE = "mail";

    private final TransactionTemplate transactions;
    private final JdbcTemplate orders;
    private final Map<String, ConnectionFactory> factories;
    private final List<String> sequence;
    private final boolean sends;

    Mail(
            PlatformTransactionManager manager,
            DataSource orders,
            Map<String, ConnectionFactory> factories,
            List<String> sequence,
            boolean sends) {
        this.transactions = new TransactionTemplate(manager);
        this.orders = new JdbcTemplate(orders);
        this.factories = factories;
        this.sequence = sequence;
        this.sends = sends;
    }

    void start() {
        if (sends) {
            Thread thread = new Thread(this::sendForEver, "mail");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void sendForEver() {
        while (true) {
            send();
        }
    }

    private void send() {
        long id = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
        transactions.executeWithoutResult(status -> {
            for (String step : sequence) {
                if (step.equals(DATABASE)) {
                    orders.update("insert into entry values (?)", id);
                } else {
                    // Spring's template drops what the end of a session throws.
                    try (JMSContext context = factories.get(step).createContext()) {
                        context.createProducer().send(context.createQueue(QUEUE), Long.toString(id));
                    }
                }
            }
        });
    }

    /** How many rows the database has, and how many messages each broker that runs. */
    Map<String, Long> state(Map<String, EmbeddedActiveMQ> brokers) {
        Map<String, Long> state = new TreeMap<>();
        state.put("rows", orders.queryForObject("select count(*) from entry", Long.class));
        brokers.forEach((name, broker) -> {
            if (broker.getActiveMQServer() != null && broker.getActiveMQServer().isStarted()) {
                Queue queue = broker.getActiveMQServer().locateQueue(SimpleString.of(QUEUE));
                state.put(name, queue == null ? 0 : queue.getMessageCount());
            }
        });
        return state;
    }
}
