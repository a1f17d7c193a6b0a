package io.tallystick.durability;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountsTest {
    @Test
    void drawnValuesStandInTheTableAndNotInTheLine() {
        Counts counts = Counts.of("lives", 3)
                .and("locale=tr-TR", 2)
                .and("locale=root", 1)
                .and("umask=022", 3);

        assertThat(counts).hasToString("lives=3");
        assertThat(counts.table()).containsExactly("locale: root=1 tr-TR=2", "umask: 022=3");
    }
}
