package io.tallystick.benchmarks.measure;

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
 * A gate for the threads of an iteration. They wait for each other before its first operation and after its last one,
 * while one of them reads the {@link IterationMeter}. A benchmark of transactions takes a {@link Passage}. JMH's own
 * threads wait too for the setup of a shared state, but they spin. With hundreds of threads on few processors, the
 * thread that reads then gets no processor for seconds, and sometimes for longer than JMH's timeout.
 */
@State(Scope.Benchmark)
public class IterationGate {
    private CyclicBarrier begin;
    private CyclicBarrier end;

    /** Makes the gate for the threads of the benchmark. */
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
        /** Waits until all threads are here, and one of them has read the usage of the process. */
        @Setup(Level.Iteration)
        public void begin(IterationGate gate) throws InterruptedException, BrokenBarrierException {
            gate.begin.await();
        }

        /** Waits until all threads are done, and one of them has read the usage again. */
        @TearDown(Level.Iteration)
        public void end(IterationGate gate) throws InterruptedException, BrokenBarrierException {
            gate.end.await();
        }
    }
}
