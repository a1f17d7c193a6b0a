package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.scenario.AllPairs;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Combined conditions: options were changed between two lives, with states on both sides of their bounds; the disk is
 * full, the first life was closed, crashed or killed, a write was in flight at its end, the store belongs to a node,
 * the page cache has missed a write, files had several lives, and an opening died. A case is a table in which each
 * pair of two conditions stands in a row; the seed makes the table. Each row goes through the oracle on a simulated
 * disk.
 *
 * <p>The way to the disk is the subject, so each row meets each way. The JDK is that of the run.
 */
public final class PairwiseStage implements Stage {
    private static final String ROWS = "rows";

    @Override
    public String name() {
        return "pairwise";
    }

    @Override
    public String description() {
        return "a table of all pairs of conditions: changed options, room, end, gap, page cache, age, opening; on JDK "
                + Runtime.version().feature();
    }

    @Override
    public String unit() {
        return ROWS;
    }

    @Override
    public long quickCount() {
        return 60;
    }

    @Override
    public long fullCount() {
        return 100_000;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        if (!subject.is(Trait.DURABLE)) {
            return Optional.of("it has no disk");
        }
        return subject.is(Trait.ANY_DISK) && subject instanceof ConfiguredSubject
                ? Optional.empty()
                : Optional.of("it does not use the disk that it is given, so no disk can be simulated");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return seed -> {
            Counts counts = Counts.of(ROWS, 0);
            for (List<Integer> numbers : AllPairs.rows(CombinedConditions.sizes(), seed)) {
                CombinedConditions row = CombinedConditions.of(numbers);
                try {
                    counts = counts.plus(new CombinedLives((ConfiguredSubject) subject, row, seed).run());
                } catch (AssertionError | Exception failed) {
                    throw new AssertionError(row + ": " + failed.getMessage(), failed);
                }
            }
            return counts;
        };
    }
}
