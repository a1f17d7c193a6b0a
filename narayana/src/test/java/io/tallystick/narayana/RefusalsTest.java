package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    private final List<String> errors = new ArrayList<>();
    private final Logger logger = Logger.getLogger(TallystickObjectStore.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().intValue() >= Level.SEVERE.intValue()) {
                errors.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
        Refusals.ofStores().tellingOf(() -> "forgotten");
    }

    @Test
    void aRefusalIsToldAgainAfterAnOpeningWhoseCallerWouldHavePrintedIts() {
        refuse(Refusals.ofStores());
        refuse(Refusals.ofStores());
        assertThat(errors).as("the same refusal twice").hasSize(1);

        Refusals.printedByCaller().tellingOf(() -> "opened");
        refuse(Refusals.ofStores());

        assertThat(errors).hasSize(2).allMatch(line -> line.startsWith("TALLY0415") && line.endsWith("the same text"));
    }

    @Test
    void aRefusalThatItsCallerPrintsDoesNotSilenceTheNextOne() {
        refuse(Refusals.printedByCaller());
        assertThat(errors).isEmpty();

        refuse(Refusals.ofStores());

        assertThat(errors).hasSize(1);
    }

    private static void refuse(Refusals refusals) {
        assertThatThrownBy(() -> refusals.tellingOf(() -> {
                    throw new IllegalArgumentException("the same text");
                }))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
