package io.tallystick.benchmarks.measure;

import java.util.Arrays;
import java.util.Optional;
import org.openjdk.jmh.results.AggregationPolicy;

/** The measurements of an iteration besides transactions per second; the label is the name in JMH's JSON. */
public enum Metric {
    /** CPU time of the whole process, its own threads included, per transaction. */
    CPU("cpu", "us/op", AggregationPolicy.AVG),
    /** Times a thread gave up its core to wait, per transaction. */
    SWITCHES("voluntary-switches", "#/op", AggregationPolicy.AVG),
    /** Bytes allocated per transaction. */
    ALLOCATED("allocated", "B/op", AggregationPolicy.AVG),
    /** Times the store waited for the disk, per transaction; ours only. */
    FORCES("forces", "#/op", AggregationPolicy.AVG),
    /** Records that one wait for the disk made durable; ours only. */
    RECORDS_PER_FORCE("records-per-force", "#", AggregationPolicy.AVG),
    /** Half of the transactions took at most this. */
    P50("latency-p50", "us", AggregationPolicy.AVG),
    /** 99 % took at most this. */
    P99("latency-p99", "us", AggregationPolicy.AVG),
    /** 99.9 % took at most this. */
    P999("latency-p99.9", "us", AggregationPolicy.AVG),
    /** The longest of those that were timed. */
    MAX("latency-max", "us", AggregationPolicy.MAX),
    /** CPU time of the database's servers per transaction; of a store in a database only. */
    SERVER_CPU("cpu-of-servers", "us/op", AggregationPolicy.AVG),
    /** Share of the machine's cores that other programs used meanwhile. */
    OTHERS("cpu-of-others", "share", AggregationPolicy.AVG),
    /** Share of one core that the JVM's compilers used meanwhile: how far the JVM was from warm. */
    COMPILER("cpu-of-compiler", "share", AggregationPolicy.AVG);

    private final String label;
    private final String unit;
    private final AggregationPolicy policy;

    Metric(String label, String unit, AggregationPolicy policy) {
        this.label = label;
        this.unit = unit;
        this.policy = policy;
    }

    public static Optional<Metric> labelled(String label) {
        return Arrays.stream(values())
                .filter(metric -> metric.label.equals(label))
                .findFirst();
    }

    public String label() {
        return label;
    }

    String unit() {
        return unit;
    }

    AggregationPolicy policy() {
        return policy;
    }
}
