package io.tallystick.durability.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AllPairsTest {
    private static final List<Integer> SIZES = List.of(3, 4, 3, 2, 3);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void everyPairOfValuesOfTwoColumnsStandsInARow(long seed) {
        List<List<Integer>> rows = AllPairs.rows(SIZES, seed);
        for (int left = 0; left < SIZES.size(); left++) {
            for (int right = left + 1; right < SIZES.size(); right++) {
                Set<List<Integer>> pairs = new HashSet<>();
                for (List<Integer> row : rows) {
                    pairs.add(List.of(row.get(left), row.get(right)));
                }
                assertThat(pairs).hasSize(SIZES.get(left) * SIZES.get(right));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void theTableIsFarShorterThanThatOfAllCombinations(long seed) {
        assertThat(AllPairs.rows(SIZES, seed)).hasSizeBetween(12, 20);
    }

    @Test
    void theSameSeedGivesTheSameTableAndAnotherAnother() {
        assertThat(AllPairs.rows(SIZES, 1)).isEqualTo(AllPairs.rows(SIZES, 1)).isNotEqualTo(AllPairs.rows(SIZES, 2));
    }

    @Test
    void everyValueLiesWithinItsColumn() {
        for (List<Integer> row : AllPairs.rows(SIZES, 1)) {
            assertThat(row).hasSameSizeAs(SIZES);
            for (int column = 0; column < SIZES.size(); column++) {
                assertThat(row.get(column)).isBetween(0, SIZES.get(column) - 1);
            }
        }
    }

    @Test
    void aTableWithoutPairsIsRefused() {
        assertThatThrownBy(() -> AllPairs.rows(List.of(3), 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> AllPairs.rows(List.of(3, 0), 1)).hasMessageContaining("[3, 0]");
    }
}
