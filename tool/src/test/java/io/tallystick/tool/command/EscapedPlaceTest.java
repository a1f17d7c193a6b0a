package io.tallystick.tool.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A path in an answer can be copied into the next command, on Windows too. */
class EscapedPlaceTest {
    @Test
    void aPathOfWindowsKeepsItsBackslashes() {
        assertThat(Escaped.place("C:\\tx\\log", true)).isEqualTo("C:\\tx\\log");
    }

    @Test
    void whatControlsATerminalIsEscapedOnWindowsToo() {
        assertThat(Escaped.place("C:\\tx\u202e\\log", true)).isEqualTo("C:\\tx\\u202e\\log");
    }

    @Test
    void aBackslashInANameIsEscapedElsewhere() {
        assertThat(Escaped.place("/var/a\\b", false)).isEqualTo("/var/a\\u005cb");
    }
}
