package io.tallystick.benchmarks.measure;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.journal.io.TrialFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The speed of the directory's disk: durable writes of one block per second, each writer in a file of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class DiskBenchmark {
    /** System property that names the directory. */
    public static final String DIRECTORY_KEY = "tallystick.bench.directory";

    /** Label of the {@link DiskKind}. */
    @Param("")
    public String device;

    /** Begins the measurement of the process' usage. */
    @Setup(Level.Iteration)
    public void beginIteration() {
        IterationMeter.begin(Optional.empty());
    }

    /** Ends the measurement. */
    @TearDown(Level.Iteration)
    public void endIteration() {
        IterationMeter.end(Optional.empty());
    }

    /** One durable write. */
    @Benchmark
    public void write(Writer writer) throws IOException {
        long begun = System.nanoTime();
        writer.writeBlock();
        writer.latencies.recordValue(Math.min(System.nanoTime() - begun, LatencySamples.HIGHEST_NANOS));
    }

    /** One thread and its file. */
    @State(Scope.Thread)
    public static class Writer {
        private static final int FILE_BYTES = 4 * 1024 * 1024;

        private TrialFile file;
        private Histogram latencies;

        /** Creates the file. */
        @Setup
        public void open(DiskBenchmark benchmark) throws IOException {
            Path directory = Path.of(System.getProperty(DIRECTORY_KEY));
            Disk disk = new SystemDisk();
            LogIo io = DiskKind.labelled(benchmark.device).in(directory, disk);
            file = new TrialFile(io, directory.resolve("writer-" + UUID.randomUUID()), FILE_BYTES);
            disk.forceDirectory(directory);
            latencies = LatencySamples.newHistogram();
        }

        private void writeBlock() throws IOException {
            file.write();
            file.force();
        }

        /** Deletes the file. */
        @TearDown
        public void close() throws IOException {
            file.close();
        }
    }
}
