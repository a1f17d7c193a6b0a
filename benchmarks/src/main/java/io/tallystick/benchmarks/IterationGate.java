package io.tallystick.benchmarks;

import io.tallystick.store.StoreStatistics;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.function.Supplier;

/**
 * Where the threads of an iteration wait for each other, before its first operation and after its last one, while one of
 * them looks at the {@link IterationMeter}. JMH would have them wait, too, for what a state shared by all does around an
 * iteration, but spinning: with hundreds of threads on few processors the one that looks then gets no turn for seconds, and now
 * and then for longer than JMH has patience.
 */
final class IterationGate {
    private final CyclicBarrier begin;
    private final CyclicBarrier end;

    IterationGate(int threads, Supplier<Optional<StoreStatistics>> store) {
        begin = new CyclicBarrier(threads, () -> IterationMeter.begin(store.get()));
        end = new CyclicBarrier(threads, () -> IterationMeter.end(store.get()));
    }

    /** By each thread, before its first operation. */
    void begin() throws InterruptedException, BrokenBarrierException {
        begin.await();
    }

    /** By each thread, after its last operation. */
    void end() throws InterruptedException, BrokenBarrierException {
        end.await();
    }
}
