package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.spi.StageCompleter.Stage;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SettledStagesTest {
    private final StageCompleter completer = new StageCompleter("settled-stages-test", Optional.empty());
    private final SettledStages queue = new SettledStages();

    @AfterEach
    void end() {
        completer.close();
    }

    @Test
    void stagesArePolledInTheOrderInWhichTheyWereSettled() {
        Stage first = stage(null);
        Stage second = stage(first);
        Stage third = stage(null);
        queue.push(second, first);
        queue.push(third, third);

        assertThat(queue.hasArrived()).isTrue();
        assertThat(queue.poll()).isSameAs(first);
        assertThat(queue.hasArrived()).isFalse();
        Stage fourth = stage(null);
        queue.push(fourth, fourth);
        assertThat(queue.poll()).isSameAs(second);
        assertThat(queue.poll()).isSameAs(third);
        assertThat(queue.hasAny()).isTrue();
        assertThat(queue.poll()).isSameAs(fourth);
        assertThat(queue.hasAny()).isFalse();
        assertThat(queue.poll()).isNull();
    }

    private Stage stage(Stage before) {
        return completer.newStage().settled(() -> null, before);
    }
}
