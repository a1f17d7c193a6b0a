package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureLatchTest {
    private final FailureLatch latch = new FailureLatch();
    private final List<Throwable> told = new ArrayList<>();
    private final IOException first = new IOException("the first");
    private final IOException second = new IOException("the second");

    @Test
    void theFirstFailureIsPassedOnOnce() {
        latch.tell(told::add);
        latch.fail(first);
        latch.fail(second);

        assertThat(told).containsExactly(first);
    }

    @Test
    void aListenerThatComesLateHearsOfAnEarlierFailure() {
        latch.fail(first);
        latch.tell(told::add);

        assertThat(told).containsExactly(first);
    }

    @Test
    void aListenerHearsNothingBeforeAFailure() {
        latch.tell(told::add);

        assertThat(told).isEmpty();
    }

    /** The thread that notes it lets others go on before it tells the store. */
    @Test
    void aNotedFailureStopsTheLogAndIsPassedOnLater() {
        latch.tell(told::add);
        latch.note(first);

        assertThat(told).isEmpty();
        assertThat(latch.isSet()).isTrue();
        latch.fail(second);
        assertThat(told).containsExactly(first);
    }

    @Test
    void theCheckThrowsTheFirstFailure() {
        assertThat(latch.isSet()).isFalse();
        assertThatCode(latch::check).doesNotThrowAnyException();
        latch.fail(first);
        latch.fail(second);

        assertThatThrownBy(latch::check).isInstanceOf(IOException.class).hasCause(first);
    }
}
