package io.tallystick.reaper;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/**
 * How a reaper works. Immutable and checked: every value is within its bounds when an instance exists.
 *
 * <p>This module reads no keys. {@code ReaperSettings} of the module {@code tallystick-narayana} makes options from
 * the keys {@code tallystick.reaper.*}, with the reader that the stores have.
 */
public final class ReaperOptions {
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final int MAX_THREADS = 1024;

    private static final ReaperOptions DEFAULTS = new Builder().build();

    private final Duration precision;
    private final int workers;
    private final Duration wedgedAfter;
    private final int maxWedgedWorkers;
    private final Duration stackCaptureLead;
    private final CloseMode closeMode;
    private final Duration closeTimeout;
    private final ReaperListener listener;
    private final Optional<ThreadFactory> threadFactory;

    private ReaperOptions(Builder builder) {
        precision = builder.precision;
        workers = builder.workers;
        wedgedAfter = builder.wedgedAfter;
        maxWedgedWorkers = builder.maxWedgedWorkers;
        stackCaptureLead = builder.stackCaptureLead;
        closeMode = builder.closeMode;
        closeTimeout = builder.closeTimeout;
        listener = builder.listener;
        threadFactory = builder.threadFactory;
    }

    /** All defaults. */
    public static ReaperOptions defaults() {
        return DEFAULTS;
    }

    /** A builder that knows nothing but the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that has these values set. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.precision = precision;
        builder.workers = workers;
        builder.wedgedAfter = wedgedAfter;
        builder.maxWedgedWorkers = maxWedgedWorkers;
        builder.stackCaptureLead = stackCaptureLead;
        builder.closeMode = closeMode;
        builder.closeTimeout = closeTimeout;
        builder.listener = listener;
        builder.threadFactory = threadFactory;
        return builder;
    }

    /**
     * How late a timeout may be noticed, apart from load; 1 ms to 1 min, default 100 ms. The reaper looks twice in this
     * time while transactions come in.
     */
    public Duration precision() {
        return precision;
    }

    /** How many threads cancel at once, apart from those that are stuck; 1 to 1024, default 4. */
    public int workers() {
        return workers;
    }

    /** After which time in one cancellation a worker is reported as wedged; 1 ms to 1 day, default 5 s. */
    public Duration wedgedAfter() {
        return wedgedAfter;
    }

    /** How many stuck workers are replaced; 0 to 1024, default 16. */
    public int maxWedgedWorkers() {
        return maxWedgedWorkers;
    }

    /**
     * How long before the deadline of a transaction the reaper captures the stack of the thread that registered it.
     * The {@link Expiry} of the transaction carries that stack. 0 to 365 days; default 0: no capture. A transaction
     * with a shorter timeout has its stack captured at the first look. One look captures 16 stacks. If more
     * transactions are near their deadlines then, the others expire without a stack.
     */
    public Duration stackCaptureLead() {
        return stackCaptureLead;
    }

    /**
     * The treatment of open transactions by {@link TransactionReaper#close()}; default {@link CloseMode#EXPIRE_OPEN}.
     */
    public CloseMode closeMode() {
        return closeMode;
    }

    /** How long {@link TransactionReaper#close()} takes at most; 0 to 365 days, default 10 s. */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** The listener that hears of expiries; default {@link ReaperListener#logging}. */
    public ReaperListener listener() {
        return listener;
    }

    /** The factory of the reaper's thread and its workers; empty for daemon threads with names of their own. */
    public Optional<ThreadFactory> threadFactory() {
        return threadFactory;
    }

    /** Every value as {@code name=value}, separated by spaces, without the listener and the thread factory. */
    @Override
    public String toString() {
        return "precision=" + DurationText.of(precision) + " workers=" + workers + " wedgedAfter="
                + DurationText.of(wedgedAfter) + " maxWedgedWorkers=" + maxWedgedWorkers + " stackCaptureLead="
                + DurationText.of(stackCaptureLead) + " closeMode=" + closeMode + " closeTimeout="
                + DurationText.of(closeTimeout);
    }

    /** Collects values. Each is checked when it is set. */
    public static final class Builder {
        private Duration precision = Duration.ofMillis(100);
        private int workers = 4;
        private Duration wedgedAfter = Duration.ofSeconds(5);
        private int maxWedgedWorkers = 16;
        private Duration stackCaptureLead = Duration.ZERO;
        private CloseMode closeMode = CloseMode.EXPIRE_OPEN;
        private Duration closeTimeout = Duration.ofSeconds(10);
        private ReaperListener listener = ReaperListener.logging();
        private Optional<ThreadFactory> threadFactory = Optional.empty();

        private Builder() {}

        /** Sets {@link ReaperOptions#precision}. */
        public Builder precision(Duration precision) {
            this.precision = within("precision", precision, Duration.ofMillis(1), Duration.ofMinutes(1));
            return this;
        }

        /** Sets {@link ReaperOptions#workers}. */
        public Builder workers(int workers) {
            this.workers = within("workers", workers, 1, MAX_THREADS);
            return this;
        }

        /** Sets {@link ReaperOptions#wedgedAfter}. */
        public Builder wedgedAfter(Duration wedgedAfter) {
            this.wedgedAfter = within("wedgedAfter", wedgedAfter, Duration.ofMillis(1), Duration.ofDays(1));
            return this;
        }

        /** Sets {@link ReaperOptions#maxWedgedWorkers}. */
        public Builder maxWedgedWorkers(int maxWedgedWorkers) {
            this.maxWedgedWorkers = within("maxWedgedWorkers", maxWedgedWorkers, 0, MAX_THREADS);
            return this;
        }

        /** Sets {@link ReaperOptions#stackCaptureLead}. */
        public Builder stackCaptureLead(Duration lead) {
            stackCaptureLead = within("stackCaptureLead", lead, Duration.ZERO, LONGEST);
            return this;
        }

        /** Sets {@link ReaperOptions#closeMode}. */
        public Builder closeMode(CloseMode mode) {
            closeMode = Objects.requireNonNull(mode, "closeMode");
            return this;
        }

        /** Sets {@link ReaperOptions#closeTimeout}. */
        public Builder closeTimeout(Duration closeTimeout) {
            this.closeTimeout = within("closeTimeout", closeTimeout, Duration.ZERO, LONGEST);
            return this;
        }

        /** Sets {@link ReaperOptions#listener}. */
        public Builder listener(ReaperListener listener) {
            this.listener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * Sets {@link ReaperOptions#threadFactory}. Its threads decide by themselves whether they keep the JVM alive.
         */
        public Builder threadFactory(ThreadFactory threadFactory) {
            this.threadFactory = Optional.of(threadFactory);
            return this;
        }

        /** The options. */
        public ReaperOptions build() {
            return new ReaperOptions(this);
        }

        private static Duration within(String name, Duration value, Duration shortest, Duration longest) {
            Objects.requireNonNull(value, name);
            if (value.compareTo(shortest) < 0 || value.compareTo(longest) > 0) {
                throw new IllegalArgumentException(name + "=" + DurationText.of(value) + " is not between "
                        + DurationText.of(shortest) + " and " + DurationText.of(longest));
            }
            return value;
        }

        private static int within(String name, int value, int lowest, int highest) {
            if (value < lowest || value > highest) {
                throw new IllegalArgumentException(
                        name + "=" + value + " is not between " + lowest + " and " + highest);
            }
            return value;
        }
    }
}
