package io.tallystick.durability.scenario;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.log.commit.GroupCommit;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.schedule.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * Callers of a group commit push, wait, force and close at the same time, over a log in which a write may fail. An
 * acknowledged append must be written, and so must each deferred append that was queued before it. A refused append
 * must not be written. While no write fails and no thread closes, no
 * caller waits for a writer's timer. Callers yield until their write should end, or sleep at once.
 */
public final class GroupCommitScenario implements LongConsumer {
    private static final int CALLERS = 3;
    private static final int APPENDS_EACH = 2;

    /** A caller may sleep for a few milliseconds by itself, when it expects a slow write. */
    private static final long LEAST_TIMER_NANOS = GroupCommit.IDLE_TICK_MILLIS * 1_000_000L;

    private Random random;
    private NanoClock clock;
    private ScenarioLog log;
    private GroupCommit commits;
    private boolean mayFail;
    private boolean closesEarly;
    private final List<PendingAppend> deferredAndForced = new ArrayList<>();
    private final List<PendingAppend> deferredByAll = new ArrayList<>();

    /** One for each schedule. */
    public GroupCommitScenario() {}

    /** Runs the scenario under the schedule of this seed. */
    @Override
    public void accept(long seed) {
        random = Seeds.random(seed);
        mayFail = random.nextInt(3) == 0;
        closesEarly = random.nextInt(3) == 0;
        int inFlight = 1 + random.nextInt(2);
        log = new ScenarioLog(inFlight, 1 + random.nextInt(4), mayFail ? 1 + random.nextInt(4) : 0);
        boolean rested = random.nextInt(3) == 0;
        WaitStrategy waiting = WaitStrategy.values()[random.nextInt(WaitStrategy.values().length)];
        clock = new MovingClock(random.nextLong());
        Schedule.run(seed, () -> {
            commits = new GroupCommit(
                    log,
                    waiting,
                    clock,
                    new StatisticsRecorder(),
                    new StageCompleter("scenario", Optional.empty()), // starts no thread, because there are no stages
                    removal -> {});
            commits.start();
            if (rested) {
                Schedule.sleep(5_000_000_000L); // the writers have gone to sleep
            }
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int caller = i;
                long seedOfCaller = random.nextLong();
                callers.add(Schedule.start(() -> call(caller, Seeds.random(seedOfCaller))));
            }
            if (closesEarly) {
                close();
            }
            callers.forEach(Schedule::join);
            close();
            for (PendingAppend append : deferredAndForced) {
                require(log.isWritten(append), "I1 durable violated: a forced deferred append was lost");
            }
        });
    }

    private void call(int caller, Random own) {
        List<PendingAppend> deferred = new ArrayList<>();
        for (int i = 0; i < APPENDS_EACH; i++) {
            boolean isDeferred = own.nextInt(4) == 0;
            PendingAppend append = append(caller * APPENDS_EACH + i, isDeferred);
            long begun = Schedule.nanoTime();
            boolean hasFailed = commits.failure().isPresent();
            List<PendingAppend> before = List.copyOf(deferredByAll);
            try {
                commits.push(append);
                require(!hasFailed, "I5 fail-stop violated: accepted after the failure was known");
            } catch (StoreException refused) {
                require(mayFail || closesEarly, "refused without a reason: " + refused);
                require(!log.laidOut().contains(append), "I6 honest outcome violated: refused, and laid out");
                continue;
            }
            if (isDeferred) {
                commits.followUp(append);
                deferred.add(append);
                deferredByAll.add(append);
                if (own.nextBoolean()) {
                    force(deferred);
                }
            } else {
                await(append, before);
                require(
                        mayFail || closesEarly || Schedule.nanoTime() - begun < LEAST_TIMER_NANOS,
                        "a caller had to wait for a timer: a wake-up was lost");
            }
        }
    }

    private void await(PendingAppend append, List<PendingAppend> deferredBefore) {
        try {
            commits.await(append);
            require(log.isWritten(append), "I1 durable violated: acknowledged, and not written");
            deferredBefore.forEach(earlier -> require(
                    log.isWritten(earlier),
                    "I1 durable violated: acknowledged, and an append that was deferred before is not written"));
        } catch (OutcomeUnknownException unknown) {
            require(mayFail, "unknown although no write failed");
        } catch (StoreException refused) {
            require(mayFail || closesEarly, "refused without a reason: " + refused);
            require(!log.isWritten(append), "I6 honest outcome violated: refused, and written");
        }
    }

    private void force(List<PendingAppend> deferred) {
        try {
            commits.force();
            deferred.forEach(append -> require(
                    log.isWritten(append),
                    "I1 durable violated: force returned before the deferred appends were written"));
        } catch (StoreException told) {
            require(mayFail || closesEarly, "force was refused without a reason: " + told);
        }
    }

    private void close() {
        try {
            commits.close();
            for (Version append : log.laidOut()) {
                require(log.isWritten(append), "I1 durable violated: close returned before all appends were written");
            }
        } catch (StoreException told) {
            require(mayFail || closesEarly, "close was refused without a reason: " + told);
        }
    }

    private static PendingAppend append(int number, boolean deferred) {
        StateKey key = StateKey.of("/S", ObjectId.of(new byte[] {(byte) number}));
        StateImage image = StateImage.of(new byte[] {1}, null, false);
        return PendingAppend.of(key, image, new RecordEncoder(new byte[16]).encode(key, image), deferred);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
