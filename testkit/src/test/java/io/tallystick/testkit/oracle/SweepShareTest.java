package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SweepShareTest {
    @Test
    void aShareIsTheOneThatIsNamed() {
        assertThat(SweepShare.parse("1/4")).isEqualTo(new SweepShare(1, 4));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "4/4", "-1/4", "0/0", "a/b", "1/4/4"})
    void whatIsNoShareIsRefusedWithAnExample(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SweepShare.parse(text))
                .withMessageContaining(text)
                .withMessageContaining("such as 1/4");
    }
}
