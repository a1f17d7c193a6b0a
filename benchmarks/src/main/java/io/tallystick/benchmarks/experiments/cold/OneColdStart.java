package io.tallystick.benchmarks.experiments.cold;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.subject.DummyResources;
import jakarta.transaction.TransactionManager;
import java.util.Arrays;
import java.util.StringJoiner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The new JVM of {@link ColdStarts}: commits two-phase transactions from its first moment on, on the store that its
 * system properties name, prints one line of numbers, and ends.
 */
final class OneColdStart {
    private static final int SLICE_MILLIS = 100;
    private static final int SLICES_PER_SECOND = 1_000 / SLICE_MILLIS;
    /** The longest commit is looked for in so many seconds. */
    private static final int LONGEST_WITHIN_SECONDS = 10;
    /** The rate of these last seconds is the warm one. */
    private static final int WARM_SECONDS = 5;

    private static final double NEARLY_WARM = 0.9;

    private final long launched;
    private final int seconds;
    private final AtomicLongArray slices;
    private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong longestNanos = new AtomicLong();

    private OneColdStart(long launched, int seconds) {
        this.launched = launched;
        this.seconds = seconds;
        this.slices = new AtomicLongArray(seconds * SLICES_PER_SECOND);
    }

    /**
     * What a JVM has done since it was launched.
     *
     * @param firstMillis launch to the end of the first commit
     * @param inOne commits in the first second
     * @param inThree commits in the first three seconds
     * @param inTen commits in the first ten seconds
     * @param longestMillis the longest commit that ended in the first ten seconds
     * @param warmSeconds launch to the end of the first second at nine tenths of the warm rate
     * @param warmRate commits a second in the last five seconds, the median second
     */
    record Figures(
            double firstMillis,
            double inOne,
            double inThree,
            double inTen,
            double longestMillis,
            double warmSeconds,
            double warmRate) {
        private String line() {
            StringJoiner line = new StringJoiner(" ");
            for (double value :
                    new double[] {firstMillis, inOne, inThree, inTen, longestMillis, warmSeconds, warmRate}) {
                line.add(Double.toString(value));
            }
            return line.toString();
        }

        /** From the output of that JVM, whose last line they are. */
        static Figures of(String output) {
            String[] lines = output.strip().split("\\R");
            double[] values = Arrays.stream(lines[lines.length - 1].split(" "))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            return new Figures(values[0], values[1], values[2], values[3], values[4], values[5], values[6]);
        }
    }

    /**
     * Arguments: the number of threads, the seconds from the launch to the end, and the parent's {@link
     * System#nanoTime} when it started this JVM; both JVMs read one clock.
     */
    public static void main(String[] arguments) throws InterruptedException {
        int threads = Integer.parseInt(arguments[0]);
        OneColdStart start = new OneColdStart(Long.parseLong(arguments[2]), Integer.parseInt(arguments[1]));
        System.out.println(start.commitWith(threads).line());
        System.exit(0); // peers leave threads behind
    }

    private Figures commitWith(int threads) throws InterruptedException {
        TransactionManager manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        long end = launched + TimeUnit.SECONDS.toNanos(seconds);
        CountDownLatch ended = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            Thread caller = new Thread(
                    () -> {
                        try {
                            commitUntil(end, manager);
                        } catch (Exception failed) {
                            failed.printStackTrace();
                            Runtime.getRuntime().halt(1);
                        }
                        ended.countDown();
                    },
                    "caller-" + i);
            caller.setDaemon(true);
            caller.start();
        }
        ended.await();
        return figures();
    }

    private void commitUntil(long end, TransactionManager manager) throws Exception {
        DummyResources resources = new DummyResources(Protocol.TWO_PHASE);
        long begun = System.nanoTime();
        while (begun < end) {
            resources.transact(manager);
            long now = System.nanoTime();
            note(begun, now);
            begun = now;
        }
    }

    private void note(long begun, long now) {
        long at = now - launched;
        int slice = (int) (at / TimeUnit.MILLISECONDS.toNanos(SLICE_MILLIS));
        if (slice < slices.length()) {
            slices.incrementAndGet(slice);
        }
        if (at < firstNanos.get()) {
            firstNanos.accumulateAndGet(at, Math::min);
        }
        long took = now - begun;
        if (took > longestNanos.get() && at < TimeUnit.SECONDS.toNanos(LONGEST_WITHIN_SECONDS)) {
            longestNanos.accumulateAndGet(took, Math::max);
        }
    }

    private Figures figures() {
        long[] rates = new long[seconds];
        for (int second = 0; second < seconds; second++) {
            rates[second] = commitsIn(second, second + 1);
        }
        long[] last = Arrays.copyOfRange(rates, seconds - WARM_SECONDS, seconds);
        Arrays.sort(last);
        long warm = last[WARM_SECONDS / 2];
        int nearly = 0;
        while (rates[nearly] < warm * NEARLY_WARM) {
            nearly++;
        }
        return new Figures(
                firstNanos.get() / 1e6,
                commitsIn(0, 1),
                commitsIn(0, 3),
                commitsIn(0, LONGEST_WITHIN_SECONDS),
                longestNanos.get() / 1e6,
                nearly + 1,
                warm);
    }

    private long commitsIn(int fromSecond, int toSecond) {
        long commits = 0;
        for (int slice = fromSecond * SLICES_PER_SECOND; slice < toSecond * SLICES_PER_SECOND; slice++) {
            commits += slices.get(slice);
        }
        return commits;
    }
}
