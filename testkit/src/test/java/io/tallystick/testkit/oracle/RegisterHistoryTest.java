package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.States;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegisterHistoryTest {
    private static final Runnable NOTHING = () -> {};

    private final RegisterHistory history = new RegisterHistory();

    @Test
    void historyOfAPlainVariableIsExplained() {
        read(null);
        history.write("1", NOTHING);
        read("1");
        history.write("2", NOTHING);
        history.write(null, NOTHING);
        read(null);

        assertThatCode(history::check).doesNotThrowAnyException();
    }

    @Test
    void valueThatWasOverwrittenBeforeTheReadIsNot() {
        history.write("1", NOTHING);
        history.write("2", NOTHING);
        read("1");

        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class).hasMessageContaining("value=1");
    }

    @Test
    void lostWriteIsNot() {
        history.write("1", NOTHING);
        read(null);

        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class);
    }

    @Test
    void resurrectedValueIsNot() {
        history.write("1", NOTHING);
        history.write(null, NOTHING);
        read("1");

        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class);
    }

    @Test
    void inventedValueIsNot() {
        history.write("1", NOTHING);
        read("2");

        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class);
    }

    @Test
    void valueReadBeforeItsWriteBeganIsNot() {
        read("1");
        history.write("1", NOTHING);

        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class);
    }

    @Test
    void readDuringAWriteMaySeeEither() {
        history.write("1", NOTHING);
        history.write("2", () -> {
            read("1");
            read("2");
        });

        assertThatCode(history::check).doesNotThrowAnyException();
    }

    @Test
    void readDuringAWriteMustNotGoBack() {
        history.write("1", NOTHING);
        history.write("3", () -> {
            history.write("2", NOTHING);
            read("2");
            read("1");
        });

        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class);
    }

    private void read(String value) {
        history.read(() -> Optional.ofNullable(value).map(States::of));
    }
}
