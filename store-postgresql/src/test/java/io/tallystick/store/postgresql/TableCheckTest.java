package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableCheckTest {
    private static final String DEFINITION =
            "id bigint PRIMARY KEY, node varchar(64) NOT NULL UNIQUE, role text CHECK (role IN ('a', 'b')), n bigint";

    @Test
    void columnsAreReadBesideChecksThatHaveCommas() {
        assertThat(TableCheck.columnsOf(DEFINITION))
                .containsEntry("id", "bigint")
                .containsEntry("node", "character varying")
                .containsEntry("role", "text")
                .containsEntry("n", "bigint")
                .hasSize(4);
        assertThat(TableCheck.keysOf(DEFINITION)).containsExactly("PRIMARY KEY (id)", "UNIQUE (node)");
    }

    @Test
    void aKeyOfSeveralColumnsIsRead() {
        String definition = Schema.TABLES.get("tallystick_batch");

        assertThat(TableCheck.keysOf(definition)).containsExactly("PRIMARY KEY (log_id, seq)");
        assertThat(TableCheck.columnsOf(definition))
                .containsKeys("log_id", "body")
                .doesNotContainKey("PRIMARY");
    }
}
