package io.tallystick.durability.scenario;

import io.tallystick.reaper.CloseMode;
import io.tallystick.reaper.Expiry;
import io.tallystick.reaper.ReaperListener;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.ReaperStatistics;
import io.tallystick.reaper.TransactionReaper;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.schedule.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * Threads register transactions with a whole reaper, end them early, in the very tick of their time-out or never, while
 * other threads close it. Cancellations are refused, throw, or do not come back for a while; threads may fail to start.
 *
 * <p>The time of the schedule stands still while a thread can run. So a bound of the reaper is exact here: a
 * transaction is cancelled in its time plus one precision, or this is a violation. When the reaper is idle, and when it
 * is closed, none of its threads is left.
 */
public final class ReaperScenario implements LongConsumer {
    static final long TICK_NANOS = 250_000_000L;
    private static final long PRECISION_NANOS = 2 * TICK_NANOS;
    private static final Duration PRECISION = Duration.ofNanos(PRECISION_NANOS);
    private static final Duration LONG = Duration.ofHours(1);
    /** The watch looks for a second after the last arrival, and then ends. */
    private static final long UNTIL_IDLE_NANOS = 4 * PRECISION_NANOS;

    private static final int CALLERS = 3;
    private static final int CROWD = 8;
    private static final int MOST_TICKS = 6;
    private static final int TICKS_UNTIL_QUIET = 4;
    /** A look passes some 70 points before the worker that it starts takes a transaction. */
    private static final int MOST_HESITATION = 200;

    private final List<ReapedTransaction> transactions = new ArrayList<>();
    private final ReapedTransaction.Record record = new ReapedTransaction.Record();
    private Random random;
    private TransactionReaper reaper;
    private boolean threadsFail;
    private boolean beginsQuiet;
    private boolean isRace;
    private final AtomicInteger blockers = new AtomicInteger();
    private int mayBlock;

    /** One for each schedule. */
    public ReaperScenario() {}

    /** Runs the scenario under the schedule of this seed. */
    @Override
    public void accept(long seed) {
        random = Seeds.random(seed);
        int callers = random.nextInt(4) == 0 ? CROWD : CALLERS;
        int closers = Math.max(0, random.nextInt(4) - 1);
        mayBlock = random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0;
        threadsFail = random.nextInt(8) == 0;
        beginsQuiet = random.nextInt(4) == 0;
        isRace = random.nextInt(4) == 0;
        ReaperOptions options = options();
        Schedule.run(seed, () -> {
            reaper = TransactionReaper.open(options);
            List<Thread> threads = new ArrayList<>();
            if (beginsQuiet) {
                threads.add(Schedule.start(this::stayOpen));
            }
            for (int i = 0; i < callers; i++) {
                long seedOfCaller = random.nextLong();
                int most = callers == CROWD ? 1 : 3;
                threads.add(Schedule.start(() -> call(Seeds.random(seedOfCaller), most)));
            }
            for (int i = 0; i < closers; i++) {
                long seedOfCloser = random.nextLong();
                threads.add(Schedule.start(() -> closeEarly(Seeds.random(seedOfCloser))));
            }
            threads.forEach(Schedule::join);
            if (closers == 0 && random.nextBoolean()) {
                rest();
            }
            closeAtLast();
            Schedule.sleep(LONG.toNanos()); // cancellations that came back late
            transactions.forEach(each -> each.checkAtTheEnd());
            ReaperStatistics last = reaper.statistics();
            require(!last.watching() && last.workers() == 0, "a closed reaper has threads: " + last);
            record.check();
        });
    }

    private ReaperOptions options() {
        ReaperOptions.Builder builder = ReaperOptions.builder()
                .precision(PRECISION)
                .workers(1 + random.nextInt(2))
                .maxWedgedWorkers(mayBlock == 0 ? random.nextInt(2) : mayBlock)
                .wedgedAfter(PRECISION)
                .listener(new ReaperListener() {
                    @Override
                    public void expired(Expiry expiry) {
                        ((ReapedTransaction) expiry.transaction()).told(expiry);
                    }
                });
        if (random.nextInt(8) == 0) {
            builder.stackCaptureLead(PRECISION);
        }
        if (threadsFail) {
            builder.threadFactory(failing(1 + random.nextInt(3)));
        }
        return builder.build();
    }

    /** The n-th thread does not start, as where the system has no more threads. */
    private static ThreadFactory failing(int failingStart) {
        int[] starts = {0};
        return body -> {
            if (++starts[0] == failingStart) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(body, "reaper");
        };
    }

    /** One transaction is open for long, so that the watch sleeps once nothing arrives for a second. */
    private void stayOpen() {
        ReapedTransaction stays =
                new ReapedTransaction(record, LONG.toNanos(), ReapedTransaction.Behaviour.IS_CANCELLED, 0);
        if (register(stays)) {
            transactions.add(stays);
            end(stays, 3 * MOST_TICKS * TICK_NANOS);
        }
    }

    private void call(Random own, int most) {
        if (beginsQuiet) {
            Schedule.sleep((TICKS_UNTIL_QUIET + own.nextInt(3)) * TICK_NANOS);
        }
        for (int i = own.nextInt(most); i >= 0; i--) {
            if (own.nextBoolean()) {
                Schedule.sleep(own.nextInt(MOST_TICKS) * TICK_NANOS);
            }
            boolean isLong = own.nextInt(4) == 0 && !isRace;
            long timeoutNanos = isLong ? LONG.toNanos() : (1 + own.nextInt(MOST_TICKS)) * TICK_NANOS;
            ReapedTransaction transaction =
                    new ReapedTransaction(record, timeoutNanos, behaviour(own), own.nextInt(MOST_HESITATION));
            if (!register(transaction)) {
                continue;
            }
            transactions.add(transaction);
            switch (isRace ? 2 : own.nextInt(isLong ? 3 : 4)) {
                case 0 -> transaction.end();
                case 1 -> end(transaction, own.nextInt(MOST_TICKS) * TICK_NANOS);
                case 2 -> end(transaction, isLong ? TICK_NANOS : timeoutNanos + own.nextInt(3) * TICK_NANOS);
                default -> {} // it never ends by itself
            }
        }
    }

    private void end(ReapedTransaction transaction, long inNanos) {
        Schedule.sleep(inNanos);
        transaction.checkRemaining(reaper, PRECISION_NANOS);
        for (int i = isRace ? transaction.hesitation() : 0; i > 0; i--) {
            Schedule.point(); // so that it ends beside the worker that comes for it, and not always before
        }
        transaction.end();
    }

    private ReapedTransaction.Behaviour behaviour(Random own) {
        return switch (own.nextInt(6)) {
            case 0 -> ReapedTransaction.Behaviour.REFUSES;
            case 1 -> ReapedTransaction.Behaviour.THROWS;
            case 2 ->
                blockers.incrementAndGet() <= mayBlock
                        ? ReapedTransaction.Behaviour.BLOCKS
                        : ReapedTransaction.Behaviour.IS_CANCELLED;
            default -> ReapedTransaction.Behaviour.IS_CANCELLED;
        };
    }

    private boolean register(ReapedTransaction transaction) {
        try {
            transaction.registeredWith(reaper);
            return true;
        } catch (IllegalStateException closed) {
            transaction.refused();
            require(record.isClosing(), "registering was refused before a close: " + closed);
        } catch (OutOfMemoryError noThread) {
            transaction.refused();
            record.watchFailedToStart();
            require(threadsFail, "registering failed although each thread starts");
        }
        return false;
    }

    private void closeEarly(Random own) {
        Schedule.sleep(own.nextInt(2 * MOST_TICKS) * TICK_NANOS);
        CloseMode mode = own.nextBoolean() ? CloseMode.EXPIRE_OPEN : CloseMode.WAIT_FOR_OPEN;
        close(mode, own.nextInt(2 * MOST_TICKS) * TICK_NANOS);
    }

    private void closeAtLast() {
        boolean first = !record.isClosing();
        boolean none = close(CloseMode.EXPIRE_OPEN, LONG.toNanos());
        require(none || !first, "the only close had an hour, and left a transaction open");
    }

    private boolean close(CloseMode mode, long atMostNanos) {
        long begun = Schedule.nanoTime();
        record.closing(mode);
        boolean none = reaper.close(mode, Duration.ofNanos(atMostNanos));
        long tookNanos = Schedule.nanoTime() - begun;
        require(tookNanos <= atMostNanos, "close took longer than it may");
        long neededNanos = mayBlock * ReapedTransaction.BLOCKED_NANOS + 2 * PRECISION_NANOS;
        require(mode != CloseMode.EXPIRE_OPEN || tookNanos <= neededNanos, "close waited although nothing was open");
        if (none) {
            record.closed();
            for (ReapedTransaction each : transactions) {
                require(!each.isOpen(), "close left a transaction open, and says that it left none: " + each);
            }
        }
        return none;
    }

    /** Without a close: each transaction is cancelled in time, and then the reaper has no thread. */
    private void rest() {
        Schedule.sleep(2 * MOST_TICKS * TICK_NANOS + UNTIL_IDLE_NANOS);
        long allowed = PRECISION_NANOS + mayBlock * PRECISION_NANOS;
        boolean exact = !threadsFail;
        transactions.forEach(each -> each.checkRested(exact ? allowed : Long.MAX_VALUE, record.watchFailed()));
        ReaperStatistics idle = reaper.statistics();
        require(!idle.watching() && idle.workers() == 0, "an idle reaper has threads: " + idle);
        long expired =
                transactions.stream().filter(ReapedTransaction::wasCancelled).count();
        if (!record.watchFailed()) {
            require(idle.open() == 0 && idle.unseen() == 0, "an idle reaper keeps transactions: " + idle);
            require(idle.expired() == expired, "expired is not " + expired + ": " + idle);
        }
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
