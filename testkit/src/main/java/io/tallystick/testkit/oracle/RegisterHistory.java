package io.tallystick.testkit.oracle;

import io.tallystick.testkit.States;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The operations of several threads on one key, and the check that one order of them explains all reads. Each write has
 * a value of its own. A remove counts as a write of no value.
 *
 * <p>An operation takes effect at one instant between its beginning and its end. So the write of a value began before
 * the read of it ended, and no other write lies wholly between the two. Of two reads in a row, the second must not see
 * a write that ended before the first one's write began.
 */
public final class RegisterHistory {
    private final AtomicLong ticks = new AtomicLong();
    private final List<Operation> writes = new ArrayList<>();
    private final List<Operation> reads = new ArrayList<>();

    private record Operation(String value, long begin, long end) {
        boolean isBefore(Operation other) {
            return end < other.begin;
        }
    }

    /** Performs a write of this value, null for a remove, and records it. */
    public void write(String value, Runnable write) {
        long begin = ticks.incrementAndGet();
        write.run();
        long end = ticks.incrementAndGet();
        synchronized (this) {
            writes.add(new Operation(value, begin, end));
        }
    }

    /** Performs a read and records it. */
    public void read(Supplier<Optional<byte[]>> read) {
        long begin = ticks.incrementAndGet();
        String value = read.get().map(States::text).orElse(null);
        long end = ticks.incrementAndGet();
        synchronized (this) {
            reads.add(new Operation(value, begin, end));
        }
    }

    /** Throws an {@link AssertionError} if no order explains the history; the key was absent before it. */
    public synchronized void check() {
        for (Operation read : reads) {
            List<Operation> sources = sourcesOf(read);
            if (sources.stream().noneMatch(source -> explains(source, read))) {
                throw new AssertionError(read + " cannot be explained; writes near it: " + near(read));
            }
        }
        for (Operation first : reads) {
            for (Operation second : reads) {
                if (first.isBefore(second) && goesBack(first, second)) {
                    throw new AssertionError(second + " sees an older value than the earlier " + first);
                }
            }
        }
    }

    private List<Operation> near(Operation read) {
        return writes.stream()
                .filter(write -> write.end > read.begin - 20 && write.begin < read.end + 20)
                .toList();
    }

    // The state before the history counts as a write of no value that ended before all other operations began.
    private List<Operation> sourcesOf(Operation read) {
        List<Operation> sources = new ArrayList<>(writes.stream()
                .filter(write -> Objects.equals(write.value, read.value))
                .toList());
        if (read.value == null) {
            sources.add(new Operation(null, -1, 0));
        }
        return sources;
    }

    private boolean explains(Operation source, Operation read) {
        return source.begin < read.end
                && writes.stream().noneMatch(between -> source.isBefore(between) && between.isBefore(read));
    }

    private boolean goesBack(Operation first, Operation second) {
        if (first.value == null || second.value == null) {
            return false; // a read of no value does not show which remove it saw
        }
        return sourcesOf(second).get(0).isBefore(sourcesOf(first).get(0));
    }
}
