package io.tallystick.reaper;

import static io.tallystick.reaper.ReaperFixture.PRECISION;
import static io.tallystick.reaper.ReaperFixture.TICK;
import static io.tallystick.reaper.ReaperFixture.await;
import static io.tallystick.reaper.ReaperFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever fails in the reaper or around it, the next transaction times out in its time. */
@Timeout(120)
class ReaperErrorsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<AutoCloseable> toClose = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    @Test
    void workersWhoseStartFailsWithAnyErrorAreNotCountedForEver() {
        for (Error error :
                List.of(new NoClassDefFoundError("undeployed"), new StackOverflowError(), new InternalError("no"))) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            ReaperFixture reaping = fixture(options().threadFactory(failingForWorkers(failure)));
            logging(record -> {});
            List<TestTransaction> transactions = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                transactions.add(reaping.transaction("t" + i));
                reaping.register(transactions.get(i), SECOND);
            }
            failure.set(error);
            reaping.pass(SECOND.multipliedBy(2));
            assertThat(reaping.statistics().workers()).isZero();
            assertThat(reaping.statistics().waiting()).isEqualTo(8);

            failure.set(null);
            reaping.passUntil(() -> transactions.stream().allMatch(each -> each.cancels() == 1));
            assertThat(reaping.reaper.close(CloseMode.EXPIRE_OPEN, MINUTE)).isTrue();
        }
    }

    @Test
    void aFactoryThatGivesNoThreadIsAskedAgain() {
        AtomicBoolean fails = new AtomicBoolean(true);
        ThreadFactory threads = body ->
                fails.get() && body instanceof CancelWorkers.Worker ? null : new DaemonThreads("t").newThread(body);
        ReaperOptions options =
                options().threadFactory(threads).precision(PRECISION).build();
        ManualClock clock = new ManualClock();
        Queue<String> messages = logging(record -> {});
        TransactionReaper reaper = TransactionReaper.open(options, clock);
        TestTransaction transaction = new TestTransaction("t");
        reaper.register(transaction, SECOND);
        await(() -> {
            clock.advance(TICK);
            return messages.stream().anyMatch(message -> message.startsWith("TALLY0607"));
        });

        fails.set(false);
        await(() -> {
            clock.advance(TICK);
            return transaction.cancels() == 1;
        });
        reaper.close(CloseMode.EXPIRE_OPEN, Duration.ZERO);
    }

    @Test
    void aLoggerThatThrowsAtAFailedStartStopsNoTimeout() {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        ReaperFixture reaping = fixture(options().threadFactory(failingForWorkers(failure)));
        logging(record -> {
            throw new NoClassDefFoundError("the logger's context is closed");
        });
        List<TestTransaction> transactions = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            transactions.add(reaping.transaction("t" + i));
            reaping.register(transactions.get(i), SECOND);
        }
        failure.set(new OutOfMemoryError("unable to create native thread"));
        reaping.pass(SECOND.multipliedBy(2));

        failure.set(null);
        reaping.passUntil(() -> transactions.stream().allMatch(each -> each.cancels() == 1));
    }

    @Test
    void aBlockedLoggerStopsNoTimeout() throws InterruptedException {
        CountDownLatch moves = new CountDownLatch(1);
        toClose.add(moves::countDown);
        Queue<String> messages = logging(record -> awaitUninterrupted(moves));
        ReaperFixture reaping = fixture(ReaperOptions.builder().listener(ReaperListener.logging()));
        int count =
                reaping.reaper.options().workers() + reaping.reaper.options().maxWedgedWorkers() + 10;
        for (int i = 0; i < count; i++) {
            TestTransaction transaction = reaping.transaction("t" + i);
            reaping.register(transaction, SECOND);
            await(() -> {
                reaping.clock.advance(TICK);
                reaping.awaitWatch();
                return transaction.cancels() == 1;
            });
        }

        assertThat(reaping.statistics().expired()).isEqualTo(count);
        moves.countDown();
        await(() ->
                messages.stream().filter(each -> each.startsWith("TALLY0601")).count() == count);
    }

    @Test
    void linesThatAStuckLoggerMissedAreCounted() {
        CountDownLatch moves = new CountDownLatch(1);
        toClose.add(moves::countDown);
        Queue<String> messages = logging(record -> awaitUninterrupted(moves));
        ReaperLog log = new ReaperLog();
        for (int i = 0; i < 100; i++) {
            log.tell(System.Logger.Level.WARNING, "line " + i, null);
        }
        moves.countDown();
        await(() -> messages.stream().anyMatch(message -> message.startsWith("TALLY0615")));

        assertThat(messages).contains("line 0", "line 64").doesNotContain("line 65");
        assertThat(messages).last().asString().endsWith(": 35");
    }

    @Test
    void aTellerOfALineKeepsItsInterrupt() {
        Queue<String> messages = logging(record -> {});
        Thread.currentThread().interrupt();
        new ReaperLog().tell(System.Logger.Level.INFO, "line", null);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(messages).contains("line");
    }

    @Test
    void aStackThatCannotBeCapturedLosesNoRegistration() throws InterruptedException {
        ReaperFixture reaping = fixture(options().stackCaptureLead(Duration.ofMillis(500)));
        TestTransaction transaction = reaping.transaction("t");
        Thread owner = new Thread(() -> reaping.register(transaction, SECOND)) {
            @Override
            public StackTraceElement[] getStackTrace() {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        owner.start();
        owner.join();

        reaping.pass(SECOND.plus(PRECISION));
        reaping.awaitWorkers();
        assertThat(transaction.cancels()).isEqualTo(1);
        assertThat(reaping.expiries.remove().ownerStack()).isEmpty();
    }

    @Test
    void theWatchLooksAlthoughItsFailureCannotBeLogged() {
        logging(record -> {
            throw new IllegalStateException("the log's disk is full");
        });
        FailingClock clock = new FailingClock();
        TransactionReaper reaper = TransactionReaper.open(
                ReaperOptions.builder().listener(ReaperListener.silent()).build(), clock);
        toClose.add(() -> reaper.close(CloseMode.EXPIRE_OPEN, Duration.ZERO));
        TestTransaction transaction = new TestTransaction("t");
        reaper.register(transaction, SECOND);
        await(() -> reaper.statistics().looks() > 0);
        clock.failAt(1);
        await(() -> {
            clock.time.advance(TICK);
            return transaction.cancels() == 1;
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClockThatThrowsAtAnyCallLosesNoTransaction(boolean atArrival) {
        logging(record -> {});
        for (int call = 1; call <= 60; call++) {
            FailingClock clock = new FailingClock();
            TransactionReaper reaper = TransactionReaper.open(
                    ReaperOptions.builder()
                            .listener(ReaperListener.silent())
                            .precision(PRECISION)
                            .build(),
                    clock);
            TestTransaction transaction = new TestTransaction("t");
            if (atArrival) {
                clock.failAt(call);
            }
            reaper.register(transaction, SECOND);
            if (!atArrival) {
                await(() -> reaper.statistics().looks() > 0);
                clock.failAt(call);
            }
            await(() -> {
                clock.time.advance(TICK);
                return transaction.cancels() == 1;
            });
            clock.failAt(0);
            assertThat(closes(reaper, clock)).as("closed after call " + call).isTrue();
        }
    }

    @Test
    void aWedgeIsReportedAlsoWhereItsStackCannotBeCaptured() {
        ThreadFactory threads = body -> new Thread(body) {
            @Override
            public StackTraceElement[] getStackTrace() {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        ReaperFixture reaping = fixture(options().threadFactory(threads));
        StuckTransaction stuck = new StuckTransaction("stuck");
        toClose.add(stuck::release);
        reaping.register(stuck, SECOND);

        reaping.passUntil(stuck::isStuck);
        reaping.pass(Duration.ofSeconds(6));
        await(() -> reaping.prevented.contains(stuck));
        assertThat(reaping.wedges.remove().stack()).isEmpty();
    }

    @Test
    void aListenerThatThrowsErrorsKeepsNoTransactionFromItsEnd() {
        logging(record -> {});
        AtomicInteger told = new AtomicInteger();
        ReaperFixture reaping = fixture(options().listener(new ReaperListener() {
            @Override
            public void expired(Expiry expiry) {
                told.incrementAndGet();
                throw new StackOverflowError();
            }
        }));
        for (int i = 1; i <= 30; i++) {
            TestTransaction transaction = reaping.transaction("t" + i);
            reaping.register(transaction, SECOND);
            reaping.passUntil(() -> transaction.cancels() == 1);
            int expected = i;
            await(() -> told.get() == expected);
        }
    }

    @Test
    void aWatchThatCannotBeStartedDoesNotKeepCloseFromItsEnd() {
        logging(record -> {
            throw new IllegalStateException("no log");
        });
        ThreadFactory threads = body -> {
            throw new NoClassDefFoundError("undeployed");
        };
        TransactionReaper reaper =
                TransactionReaper.open(options().threadFactory(threads).build());
        assertThatThrownBy(() -> reaper.register(new TestTransaction("t"), SECOND))
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(reaper.close(CloseMode.EXPIRE_OPEN, MINUTE)).isTrue();
        assertThat(reaper.phase()).isEqualTo(WatchState.Phase.CLOSED);
    }

    /** The clock runs ahead of the machine, so a worker may need a day of it to end. */
    private static boolean closes(TransactionReaper reaper, FailingClock clock) {
        AtomicReference<Boolean> closed = new AtomicReference<>();
        Thread closer = new Thread(() -> closed.set(reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofDays(10_000))));
        closer.start();
        await(() -> {
            clock.time.advance(TICK);
            return closed.get() != null;
        });
        return closed.get();
    }

    private ReaperFixture fixture(ReaperOptions.Builder options) {
        ReaperFixture reaping = new ReaperFixture(options);
        toClose.add(reaping);
        return reaping;
    }

    /** Threads for everybody, except for workers while there is a failure. */
    private static ThreadFactory failingForWorkers(AtomicReference<Throwable> failure) {
        return body -> {
            if (body instanceof CancelWorkers.Worker && failure.get() instanceof Error error) {
                throw error;
            }
            return new Thread(body);
        };
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean interrupted = false;
        for (boolean waits = true; waits; ) {
            try {
                latch.await();
                waits = false;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Trouble {
        void at(LogRecord logged);
    }

    /** Lets the trouble happen at each line instead of showing it; answers the lines that were logged. */
    private Queue<String> logging(Trouble trouble) {
        Logger logger = Logger.getLogger("io.tallystick.reaper");
        Queue<String> messages = new ConcurrentLinkedQueue<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                trouble.at(logged);
                messages.add(logged.getMessage());
            }

            @Override
            public void flush() {
                // nothing is buffered
            }

            @Override
            public void close() {
                // nothing is held
            }
        };
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        toClose.add(() -> {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        });
        return messages;
    }

    /** A time that the test moves; asking for it fails once, at the call that the test chooses. */
    private static final class FailingClock implements ReaperClock {
        private final ManualClock time = new ManualClock();
        private final AtomicInteger callsLeft = new AtomicInteger();

        void failAt(int call) {
            callsLeft.set(call);
        }

        @Override
        public long nanoTime() {
            if (callsLeft.get() > 0 && callsLeft.decrementAndGet() == 0) {
                throw new IllegalStateException("no time");
            }
            return time.nanoTime();
        }

        @Override
        public void parkUntil(long nanoTime) {
            time.parkUntil(nanoTime);
        }
    }
}
