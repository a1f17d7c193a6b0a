package io.tallystick.benchmarks;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.store.StoreStatistics;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Where the threads of an iteration wait for each other, before its first operation and after its last one, while one of
 * them looks at the {@link IterationMeter}: a benchmark of transactions takes a {@link Passage}. JMH would have them wait,
 * too, for what a state shared by all does around an iteration, but spinning: with hundreds of threads on few processors the one
 * that looks then gets no turn for seconds, and now and then for longer than JMH has patience.
 */
@State(Scope.Benchmark)
public class IterationGate {
    private CyclicBarrier begin;
    private CyclicBarrier end;

    /** Learns how many threads there are. */
    @Setup
    public void build(BenchmarkParams params) {
        begin = new CyclicBarrier(params.getThreads(), () -> IterationMeter.begin(storeStatistics()));
        end = new CyclicBarrier(params.getThreads(), () -> IterationMeter.end(storeStatistics()));
    }

    private static Optional<StoreStatistics> storeStatistics() {
        return StoreManager.getTxLog() instanceof TallystickObjectStore ours
                ? Optional.of(ours.store().statistics())
                : Optional.empty();
    }

    /** One thread's way through the gate. */
    @State(Scope.Thread)
    public static class Passage {
        /** Waits until all threads are here, and somebody has looked at what the process used so far. */
        @Setup(Level.Iteration)
        public void begin(IterationGate gate) throws InterruptedException, BrokenBarrierException {
            gate.begin.await();
        }

        /** Waits until all threads are done, and somebody has looked again. */
        @TearDown(Level.Iteration)
        public void end(IterationGate gate) throws InterruptedException, BrokenBarrierException {
            gate.end.await();
        }
    }
}
