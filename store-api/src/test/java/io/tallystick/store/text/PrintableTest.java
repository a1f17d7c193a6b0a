package io.tallystick.store.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void ordinaryTextIsUnchanged() {
        assertThat(Printable.of("/A b-\u00e4.\u4e2d")).isEqualTo("/A b-\u00e4.\u4e2d");
        assertThat(Printable.of("")).isEmpty();
    }

    @Test
    void whatATerminalWouldObeyIsEscaped() {
        assertThat(Printable.of("\n\r\u001b\u007f\u0085\u202e\ufeff"))
                .isEqualTo("\\u000a\\u000d\\u001b\\u007f\\u0085\\u202e\\ufeff");
        assertThat(Printable.of("\ud83d")).isEqualTo("\\ud83d");
    }

    @Test
    void longTextIsCutAndSaysHowLongItWas() {
        assertThat(Printable.of("x".repeat(1000))).isEqualTo("x".repeat(200) + "... (1000 characters)");
        assertThat(Printable.of("x".repeat(201))).isEqualTo("x".repeat(200) + "... (201 characters)");
        assertThat(Printable.of("x".repeat(200))).isEqualTo("x".repeat(200));
    }
}
