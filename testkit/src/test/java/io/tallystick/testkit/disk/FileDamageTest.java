package io.tallystick.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.States;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FileDamageTest {
    private static final Map<String, byte[]> FILES =
            Map.of("a", States.random(2_000, 1), "b", States.random(900, 2), "c", new byte[700]);
    private static final Map<String, byte[]> EARLIER = Map.of("a", States.random(2_000, 3));

    @ParameterizedTest
    @EnumSource
    void eachKindDamagesAndTheSameSeedInTheSameWay(FileDamage.Kind kind) {
        int damaged = 0;
        for (long seed = 0; seed < 100; seed++) {
            FileDamage damage = FileDamage.random(FILES, EARLIER, kind, Seeds.random(seed));
            FileDamage again = FileDamage.random(FILES, EARLIER, kind, Seeds.random(seed));
            assertThat(again.description()).isEqualTo(damage.description());
            damaged += differs(damage.files()) ? 1 : 0;
        }
        assertThat(damaged).isGreaterThan(20);
    }

    @Test
    void everyBitIsReached() {
        Map<String, byte[]> small = Map.of("a", new byte[3], "b", new byte[2]);
        Set<String> seen = new HashSet<>();
        for (long bit = 0; bit < FileDamage.bits(small); bit++) {
            Map<String, byte[]> damaged = FileDamage.bit(small, bit).files();
            seen.add(Arrays.toString(damaged.get("a")) + Arrays.toString(damaged.get("b")));
        }

        assertThat(seen).hasSize(40).doesNotContain("[0, 0, 0][0, 0]");
        assertThatThrownBy(() -> FileDamage.bit(small, 40)).isInstanceOf(IllegalArgumentException.class);
    }

    private static boolean differs(Map<String, byte[]> files) {
        return !files.keySet().equals(FILES.keySet())
                || FILES.entrySet().stream()
                        .anyMatch(file -> !Arrays.equals(file.getValue(), files.get(file.getKey())));
    }
}
