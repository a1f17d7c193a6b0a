package io.tallystick.benchmarks.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Operations per second in each tenth of a second of an iteration. The mean of an iteration would hide a moment in
 * which no transaction ended. Each calling thread counts for itself; one thread reads all counts, again and again. The
 * state is static, because JMH makes thread states and profilers, and neither gets a reference to the other.
 */
public final class SliceMeter {
    /** Length of a slice. */
    public static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The rest at the end of an iteration counts as a slice if it is at least this long. */
    private static final long LEAST_NANOS = SLICE_NANOS / 2;

    private static final List<Count> COUNTS = new ArrayList<>();
    private static volatile Sampling current;

    private SliceMeter() {}

    /** A count for one thread, which alone adds to it. */
    static Count newCount() {
        Count count = new Count();
        synchronized (COUNTS) {
            COUNTS.add(count);
        }
        return count;
    }

    /** One thread calls this before any operation of an iteration. */
    static void begin() {
        Sampling sampling = new Sampling();
        current = sampling;
        sampling.start();
    }

    /** One thread calls this after the last operation of the iteration. */
    static void end() {
        Sampling sampling = current;
        if (sampling != null) {
            sampling.end();
        }
    }

    /** Operations per second in each slice of the iteration that ended last, in order; empty if no thread counted. */
    static List<Double> rates() {
        return slices().stream().map(Slice::rate).toList();
    }

    /** The slices so far of the iteration that began last, in order; empty if no thread counts. */
    static List<Slice> slices() {
        Sampling sampling = current;
        synchronized (COUNTS) {
            return sampling == null || COUNTS.isEmpty() ? List.of() : List.copyOf(sampling.slices);
        }
    }

    private static long total() {
        synchronized (COUNTS) {
            return COUNTS.stream().mapToLong(Count::value).sum();
        }
    }

    /** A part of an iteration; longer than {@link #SLICE_NANOS} where the reading thread came late to run. */
    record Slice(long operations, long nanos) {
        double rate() {
            return operations * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
        }
    }

    /** Operations of one thread. */
    static final class Count {
        private final AtomicLong value = new AtomicLong();

        void increment() {
            value.setOpaque(value.getPlain() + 1); // no other thread writes
        }

        private long value() {
            return value.getOpaque();
        }
    }

    /** Reads the counts until it is ended. */
    private static final class Sampling extends Thread {
        private final CountDownLatch over = new CountDownLatch(1);
        private final List<Slice> slices = new CopyOnWriteArrayList<>();
        // Of the present slice. The first one begins here, and not when this thread comes to run.
        private long begun = System.nanoTime();
        private long before = total();

        Sampling() {
            super("bench-slices");
            setDaemon(true);
        }

        @Override
        public void run() {
            boolean ended = false;
            while (!ended) {
                try {
                    ended = over.await(SLICE_NANOS, TimeUnit.NANOSECONDS);
                } catch (InterruptedException strange) {
                    return; // no thread interrupts it
                }
                long elapsed = System.nanoTime() - begun;
                long now = total();
                if (elapsed >= LEAST_NANOS) {
                    slices.add(new Slice(now - before, elapsed));
                }
                begun += elapsed;
                before = now;
            }
        }

        void end() {
            over.countDown();
            try {
                join();
            } catch (InterruptedException strange) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
