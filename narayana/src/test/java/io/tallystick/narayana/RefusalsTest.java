package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    private final LogOf log = new LogOf(TallystickObjectStore.class);

    @AfterEach
    void stopListening() {
        log.close();
        Refusals.ofStores().tellingOf(() -> "forgotten");
    }

    @Test
    void aRefusalIsToldAgainAfterAnOpeningWhoseCallerWouldHavePrintedIts() {
        refuse(Refusals.ofStores());
        refuse(Refusals.ofStores());
        assertThat(errors()).as("the same refusal twice").hasSize(1);

        Refusals.printedByCaller().tellingOf(() -> "opened");
        refuse(Refusals.ofStores());

        assertThat(errors())
                .hasSize(2)
                .allMatch(line -> line.startsWith("TALLY0415") && line.endsWith("the same text"));
    }

    @Test
    void aRefusalThatItsCallerPrintsDoesNotSilenceTheNextOne() {
        refuse(Refusals.printedByCaller());
        assertThat(errors()).isEmpty();

        refuse(Refusals.ofStores());

        assertThat(errors()).hasSize(1);
    }

    private List<String> errors() {
        return log.messagesAt(Level.SEVERE);
    }

    private static void refuse(Refusals refusals) {
        assertThatThrownBy(() -> refusals.tellingOf(() -> {
                    throw new IllegalArgumentException("the same text");
                }))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
