package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.testkit.oracle.LateWriteSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A write to a simulated disk hangs and is given up. It lands before the store is closed, after the process was refused
 * to open the store again, or never. The next process must find the promises kept, after a kill and after crashes.
 */
public final class LateWritesStage implements Stage {
    private static final String WRITES = "late writes";
    private static final int WRITES_OF_A_CASE = 4;
    private static final int STEPS = 16;

    @Override
    public String name() {
        return "late-writes";
    }

    @Override
    public String description() {
        return "a write to a simulated disk is given up and lands later; the next process goes on with the store";
    }

    @Override
    public String unit() {
        return WRITES;
    }

    @Override
    public long quickCount() {
        return 120;
    }

    /** Each of them costs the process some memory until it ends. */
    @Override
    public long fullCount() {
        return 3_000;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        if (!subject.is(Trait.DURABLE)) {
            return Optional.of("it has no disk");
        }
        return subject.is(Trait.ANY_DISK)
                ? Optional.empty()
                : Optional.of("it does not use the disk that it is given, so no disk can be simulated");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return seed -> {
            LateWriteSweep.Report report = LateWriteSweep.of(subject::open, workload(seed), WRITES_OF_A_CASE, seed)
                    .run();
            return Counts.of(WRITES, report.lateWrites()).and("crashes", report.crashes());
        };
    }

    private static StoreWorkload workload(long seed) {
        return seed % 4 == 3 ? StoreWorkload.commits(4, 4) : StoreWorkload.history(seed, STEPS);
    }
}
