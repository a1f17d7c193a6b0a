package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.reaper.errors.ErrorPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Transactions of each kind while one place of the reaper fails, and then transactions of the same reaper where nothing
 * fails any more. Those must be cancelled in their time, and so must all that were registered before.
 */
public final class ErrorScenario implements Callable<Void> {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<TestTransaction> registered = new ArrayList<>();
    private final List<StuckTransaction> stuck = new ArrayList<>();
    private final Runnable arm;
    private volatile boolean hasRefused;

    /** @param arm has the place fail from now on */
    public ErrorScenario(Runnable arm) {
        this.arm = arm;
    }

    @Override
    public Void call() throws Exception {
        try (LogCapture log = new LogCapture()) {
            run();
            assertThat(log.messages()).isNotEmpty();
        } finally {
            ErrorPlan.disarm();
            stuck.forEach(StuckTransaction::release);
        }
        return null;
    }

    private void run() throws Exception {
        ReaperOptions.Builder options = ReaperOptions.builder()
                .workers(1)
                .maxWedgedWorkers(2)
                .stackCaptureLead(Duration.ofMillis(300))
                .threadFactory(this::thread);
        try (ReaperFixture reaping = new ReaperFixture(options);
                ReaperFixture closed = new ReaperFixture()) {
            arm.run();
            underErrors(reaping);
            ErrorPlan.disarm();
            stuck.forEach(StuckTransaction::release);
            allAreCancelled(reaping);
            closesUnderErrors(closed);
            closes(reaping);
        }
    }

    /** The first worker cannot be started. */
    private Thread thread(Runnable body) {
        if (body instanceof CancelWorkers.Worker && !hasRefused) {
            hasRefused = true;
            throw new IllegalStateException("planned: no thread");
        }
        return new DaemonThreads("test-reaper").newThread(body);
    }

    private void underErrors(ReaperFixture reaping) {
        register(reaping, new TestTransaction("plain"), Duration.ofMillis(1500));
        register(reaping, new ThrowingTransaction(), Duration.ofNanos(1_000_000_001));
        reaping.pass(SECOND.multipliedBy(2));
        // The first one also holds the worker that reports it, and the second one the last worker. A third one waits.
        for (int i = 0; i < 2; i++) {
            StuckTransaction next = new StuckTransaction("stuck" + i, i == 0);
            stuck.add(next);
            register(reaping, next, SECOND);
            reaping.passWithWorkers(SECOND.multipliedBy(8));
        }
        register(reaping, new TestTransaction("waiting"), SECOND);
        reaping.passWithWorkers(SECOND.multipliedBy(8));
        orError(reaping::statistics);
    }

    private void register(ReaperFixture reaping, TestTransaction transaction, Duration timeout) {
        orError(() -> {
            Registration registration = reaping.reaper.register(transaction, timeout);
            registered.add(transaction);
            orError(() -> reaping.reaper.remaining(registration));
        });
    }

    /** Who calls the reaper may get the error. */
    private static void orError(Runnable call) {
        try {
            call.run();
        } catch (OutOfMemoryError | NoClassDefFoundError planned) {
            // what was not registered is not cancelled
        }
    }

    private void allAreCancelled(ReaperFixture reaping) {
        TestTransaction next = new TestTransaction("next");
        reaping.reaper.register(next, SECOND);
        registered.add(next);
        ReaperFixture.await(() -> {
            reaping.clock.advance(ReaperFixture.TICK);
            return registered.stream().allMatch(each -> each.cancels() >= 1);
        });
        assertThat(registered)
                .allSatisfy(
                        each -> assertThat(each.cancels()).as(each.toString()).isEqualTo(1));
        assertThat(reaping.statistics().expired()).isEqualTo(registered.size());
    }

    /** Closes while a place fails, with a transaction open, and once more where nothing fails. */
    private void closesUnderErrors(ReaperFixture failing) {
        failing.reaper.register(new TestTransaction("open"), MINUTE);
        arm.run();
        whilePasses(failing, () -> {
            orError(() -> failing.reaper.close(CloseMode.WAIT_FOR_OPEN, SECOND));
            ErrorPlan.disarm();
            failing.reaper.close(CloseMode.EXPIRE_OPEN, SECOND);
        });
    }

    private static void closes(ReaperFixture reaping) {
        AtomicBoolean isDrained = new AtomicBoolean();
        whilePasses(reaping, () -> isDrained.set(reaping.reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofDays(1))));
        assertThat(isDrained).as("nothing is left open").isTrue();
    }

    /** Has time pass until another thread has done it. */
    private static void whilePasses(ReaperFixture reaping, Runnable work) {
        Thread working = new Thread(work, "closing");
        working.setDaemon(true);
        working.start();
        ReaperFixture.await(() -> {
            reaping.clock.advance(ReaperFixture.TICK);
            return !working.isAlive();
        });
    }

    /** Its cancellation fails, and so does its text. */
    private static final class ThrowingTransaction extends TestTransaction {
        ThrowingTransaction() {
            super("throwing");
        }

        @Override
        public CancelOutcome cancel(ExpiryReason reason) {
            super.cancel(reason);
            throw new IllegalStateException("planned");
        }

        @Override
        public boolean preventCommit() {
            super.preventCommit();
            throw new IllegalStateException("planned, too");
        }
    }
}
