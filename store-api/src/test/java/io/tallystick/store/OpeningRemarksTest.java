package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an opening says of its configuration. */
class OpeningRemarksTest {
    private final Logger logger = Logger.getLogger(ObjectStores.class.getName());
    private final List<String> warnings = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            if (logged.getLevel() == Level.WARNING) {
                warnings.add(logged.getMessage());
            } else {
                remarks.add(new SimpleFormatter().formatMessage(logged));
            }
        }

        @Override
        public void flush() {
            // nothing is buffered
        }

        @Override
        public void close() {
            // nothing is held
        }
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
    }

    @Test
    void variablesThatKubernetesMakesForAServiceAreNamedOnce() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .withVariables(Map.of("TALLYSTICK_DB_PORT_5432_TCP_ADDR", "10.0.0.7"))
                .store(UnknownOutcomeProvider.NAME)
                .build();

        ObjectStores.open(configuration);

        assertThat(warnings).isEmpty();
        assertThat(remarks)
                .filteredOn(remark -> remark.startsWith("TALLY0023"))
                .singleElement()
                .asString()
                .contains("TALLYSTICK_DB_PORT_5432_TCP_ADDR");
    }
}
