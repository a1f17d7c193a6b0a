package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.testkit.oracle.CrashSweep;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A crash at every disk operation of a workload, with eight seeds each. Each recovery is crashed too, up to five in a
 * row, and so are up to five lives in a row on a disk that stays full. At each
 * operation the process alone is killed. A crash point is one crash, of the workload or of a recovery, after which all
 * states were checked. Two of eight workloads have four threads. One makes a log copy its old records to free room. One
 * makes a log grow, and after a kill that log uses its files again.
 */
public final class CrashStage implements Stage {
    private static final String POINTS = "crash points";
    private static final int DAMAGES = 8;
    private static final int STEPS = 30;
    private static final int ROUNDS = 30;
    private static final int KEYS = 42;
    private static final int FILE_SHARE = 3;
    private static final int STEPS_AFTER_KILL = 8;
    // Which of eight workloads makes a log grow.
    private static final int GROWTH = 7;

    @Override
    public String name() {
        return "crash";
    }

    @Override
    public String description() {
        return "a simulated disk dies at every operation of a workload; " + DAMAGES
                + " crashes at each, and rows of recoveries crash too, also on a full disk";
    }

    @Override
    public String unit() {
        return POINTS;
    }

    /** The stores' own tests sweep more than this in every build. */
    @Override
    public long quickCount() {
        return 8_000;
    }

    @Override
    public long fullCount() {
        return 2_000_000;
    }

    @Override
    public int patienceSeconds() {
        return 900;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        if (!subject.is(Trait.DURABLE)) {
            return Optional.of("it promises nothing after a crash");
        }
        return subject.is(Trait.ANY_DISK)
                ? Optional.empty()
                : Optional.of("it does not use the disk that it is given, so no disk can be simulated");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return seed -> {
            CrashSweep.Report report = CrashSweep.of(subject::open, workload(subject, seed))
                    .withSeeds(DAMAGES)
                    .withNested(1)
                    .withFullDisks()
                    .withWorkloadAfterKill(workloadAfterKill(subject, seed))
                    .run();
            return Counts.of(POINTS, report.crashes() + report.nestedCrashes())
                    .and("operations", report.operations())
                    .and("crashed recoveries", report.nestedCrashes());
        };
    }

    private static StoreWorkload workload(Subject subject, long seed) {
        int share = share(subject);
        return switch ((int) Math.floorMod(seed, 8L)) {
            case 2, 6 -> StoreWorkload.commits(4, 6 / share);
            case 3 -> StoreWorkload.churn(seed, ROUNDS / share);
            case GROWTH -> StoreWorkload.growth(seed, KEYS / share);
            default -> StoreWorkload.history(seed, STEPS / share);
        };
    }

    /**
     * A log that grew uses each of its files again, and ends before it needs another one: so it has filled also the
     * file that was new when the process was killed.
     */
    private static StoreWorkload workloadAfterKill(Subject subject, long seed) {
        return Math.floorMod(seed, 8L) == GROWTH
                ? StoreWorkload.refill(seed, 2 * ROUNDS / share(subject), KEYS / 2 / share(subject))
                : StoreWorkload.history(seed, STEPS_AFTER_KILL);
    }

    /** A store of many files makes several disk operations where the others make one. */
    private static int share(Subject subject) {
        return subject.name().equals("file") ? FILE_SHARE : 1;
    }
}
