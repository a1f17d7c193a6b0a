package io.tallystick.durability.surroundings;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.durability.Counts;
import io.tallystick.durability.surroundings.LifePlan.Source;
import io.tallystick.durability.surroundings.Surroundings.Encoding;
import io.tallystick.testkit.Seeds;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LifePlanTest {
    private static final int LIVES = 5_000;
    private static final int OFTEN = 200;

    @Test
    void inFiveThousandLivesEachValueOfEachDimensionIsDrawnOften() {
        Counts counts = Counts.NOTHING;
        Random random = Seeds.random(1);
        List<String> names = List.of("file", "journal-segmented-channel", "journal-artemis-channel");
        for (int i = 0; i < LIVES; i++) {
            LifeOptions options = LifeOptions.first(names.get(i % names.size()), random);
            for (Map.Entry<String, String> value :
                    LifePlan.draw(options, random).labels().entrySet()) {
                counts = counts.and(value.getKey() + "=" + value.getValue(), 1);
            }
        }

        assertThat(counts.asMap()).hasSizeGreaterThan(70);
        assertThat(counts.asMap().entrySet()).allMatch(value -> value.getValue() >= OFTEN);
    }

    @Test
    void theSameSeedDrawsTheSameLife() {
        LifeOptions options = LifeOptions.first("journal-segmented-channel", Seeds.random(7));

        assertThat(LifePlan.draw(options, Seeds.random(8))).isEqualTo(LifePlan.draw(options, Seeds.random(8)));
        assertThat(LifePlan.draw(options, Seeds.random(8))).isNotEqualTo(LifePlan.draw(options, Seeds.random(9)));
    }

    @Test
    void noLifeHasVariablesThatItsJdkCannotRead() {
        Random random = Seeds.random(2);
        LifeOptions options = LifeOptions.first("file", random);
        for (int i = 0; i < LIVES; i++) {
            LifePlan plan = LifePlan.draw(options, random);
            assertThat(plan.surroundings().encoding() == Encoding.UTF_16 && plan.source() == Source.ENVIRONMENT)
                    .isFalse();
        }
    }
}
