package io.tallystick.benchmarks.measure;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.subject.DummyResources;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.benchmarks.subject.SubjectProof;
import jakarta.transaction.TransactionManager;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Begin, enlist one or two {@link DummyResources dummy resources}, commit. The system properties of the JVM alone
 * choose the store and its settings ({@link Subject#jvmArguments}); the parameters only name the result.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class TransactionBenchmark {
    /** A system property: whether this JVM stays for other measurements of the same store. */
    public static final String STAYS_KEY = "tallystick.bench.stays";

    /** Name of the {@link Subject}. */
    @Param("")
    public String store;

    /** Label of the {@link Protocol}. */
    @Param("")
    public String protocol;

    private TransactionManager transactionManager;

    /**
     * Starts the transaction manager, with the reaper of the parameter, and checks that it uses the store of the
     * parameter.
     */
    @Setup
    public void start() throws Exception {
        Subject subject = SubjectCatalog.named(store);
        subject.chooseReaper();
        transactionManager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        SubjectProof.prove(subject, transactionManager);
    }

    /** Closes the store, unless the JVM stays for other measurements. */
    @TearDown
    public void stop() {
        if (!Boolean.getBoolean(STAYS_KEY)) {
            StoreManager.shutdown();
        }
    }

    TransactionManager transactionManager() {
        return transactionManager;
    }

    /** One transaction. */
    @Benchmark
    public void commit(Caller caller, IterationGate.Passage passage) throws Exception {
        if (caller.isTimed()) {
            long begun = System.nanoTime();
            caller.resources.transact(transactionManager);
            caller.latencies.recordValue(Math.min(System.nanoTime() - begun, LatencySamples.HIGHEST_NANOS));
        } else {
            caller.resources.transact(transactionManager);
        }
        caller.commits.increment();
    }

    /** The state of one thread. */
    @State(Scope.Thread)
    public static class Caller {
        /** One transaction in this many is timed: reading the clock twice costs a few percent of a one-phase commit. */
        private static final int TIMED_ONE_IN = 16;

        private DummyResources resources;
        private Histogram latencies;
        private SliceMeter.Count commits;
        private int count;

        /** Makes the resources and the histogram. */
        @Setup
        public void prepare(BenchmarkParams params) {
            resources = new DummyResources(Protocol.labelled(params.getParam("protocol")));
            latencies = LatencySamples.newHistogram();
            commits = SliceMeter.newCount();
        }

        private boolean isTimed() {
            return ++count % TIMED_ONE_IN == 0;
        }
    }
}
