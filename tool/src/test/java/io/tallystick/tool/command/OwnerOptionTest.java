package io.tallystick.tool.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OwnerOptionTest {
    @Test
    void theAddressOfADatabaseIsNotRepeated() {
        assertThat(OwnerOption.shown("jdbc:h2:file:x;PASSWORD=hush")).isEqualTo("JDBC-URL");
        assertThat(OwnerOption.shown("--url=jdbc:postgresql://db/tx?password=hush"))
                .isEqualTo("--url=JDBC-URL");
        assertThat(OwnerOption.shown("/var/lib/tx")).isEqualTo("/var/lib/tx");
        assertThat(OwnerOption.shown("two words")).isEqualTo("'two words'");
    }
}
