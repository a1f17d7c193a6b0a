package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.testkit.oracle.FaultSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Each operation on a simulated disk fails in turn, in each of several ways, once and for ever. Then the disk crashes
 * in three ways, and the oracle checks the recovered store. One of eight workloads has three threads, and one makes a
 * log grow.
 */
public final class FaultsStage implements Stage {
    private static final String FAULTS = "faults";
    private static final int STEPS = 8;
    // In each life a log of small segments makes a new file for these.
    private static final int KEYS = 10;
    private static final int KEYS_OF_FILES = 4;

    @Override
    public String name() {
        return "faults-simulated";
    }

    @Override
    public String description() {
        return "every operation of a simulated disk fails in turn, in every way, and the disk crashes afterwards";
    }

    @Override
    public String unit() {
        return FAULTS;
    }

    @Override
    public long quickCount() {
        return 1_000;
    }

    @Override
    public long fullCount() {
        return 1_000_000;
    }

    @Override
    public int patienceSeconds() {
        return 600;
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
            FaultSweep.Report report = FaultSweep.of(subject::open, workload(subject, seed))
                    .withSeed(seed)
                    .run();
            return Counts.of(FAULTS, report.faults()).and("crashes", report.crashes());
        };
    }

    private static StoreWorkload workload(Subject subject, long seed) {
        return switch ((int) Math.floorMod(seed, 8L)) {
            case 3 -> StoreWorkload.commits(3, 3);
            case 7 -> StoreWorkload.growth(seed, subject.name().equals("file") ? KEYS_OF_FILES : KEYS);
            default -> StoreWorkload.history(seed, STEPS);
        };
    }
}
