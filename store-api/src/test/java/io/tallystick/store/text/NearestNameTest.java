package io.tallystick.store.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestNameTest {
    private static final List<String> NAMES = List.of("inmemory", "file", "journal");

    @Test
    void nameAtTheLeastDistanceIsMeant() {
        assertThat(NearestName.of("jurnal", NAMES)).isEqualTo("journal");
        assertThat(NearestName.of("fil", NAMES)).isEqualTo("file");
        assertThat(NearestName.of("in-memory", NAMES)).isEqualTo("inmemory");
        assertThat(NearestName.of("file", NAMES)).isEqualTo("file");
        assertThat(NearestName.of("", NAMES)).isEqualTo("file");
    }

    @Test
    void ofEqualDistancesTheFirstInTheAlphabetIsMeant() {
        assertThat(NearestName.of("x", List.of("b", "a"))).isEqualTo("a");
    }

    @Test
    void noNamesAreNoName() {
        assertThat(NearestName.of("x", List.of())).isEmpty();
    }
}
