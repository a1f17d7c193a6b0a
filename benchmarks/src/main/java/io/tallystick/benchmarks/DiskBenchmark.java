package io.tallystick.benchmarks;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
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

/** What the directory's disk can do: durable writes of one block per second, each writer in a file of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class DiskBenchmark {
    /** System property that names the directory. */
    static final String DIRECTORY_KEY = "tallystick.bench.directory";

    /** Label of the {@link DiskKind}. */
    @Param("")
    public String device;

    /** Looks at what the process used so far. */
    @Setup(Level.Iteration)
    public void beginIteration() {
        IterationMeter.begin(Optional.empty());
    }

    /** Looks again. */
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
        private static final int BLOCKS = 1024;

        private final Disk disk = new SystemDisk();
        private DiskKind kind;
        private Path path;
        private DiskFile file;
        private ByteBuffer block;
        private long next;
        private Histogram latencies;

        /** Makes the file. */
        @Setup
        public void open(DiskBenchmark benchmark) throws IOException {
            Path directory = Path.of(System.getProperty(DIRECTORY_KEY));
            kind = DiskKind.labelled(benchmark.device);
            path = directory.resolve("writer-" + UUID.randomUUID());
            file = kind.prepare(disk, path, BLOCKS);
            block = DiskKind.newBlock(disk.directAlignment(directory));
            latencies = LatencySamples.newHistogram();
        }

        private void writeBlock() throws IOException {
            kind.write(file, block.clear(), next % BLOCKS * DiskKind.BLOCK_BYTES);
            next++;
        }

        /** Takes the file away. */
        @TearDown
        public void close() throws IOException {
            file.close();
            disk.delete(path);
        }
    }
}
