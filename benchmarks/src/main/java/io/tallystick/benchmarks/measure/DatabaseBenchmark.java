package io.tallystick.benchmarks.measure;

import org.openjdk.jmh.annotations.Param;

/** The same transactions on a store in a database. A class of its own, because these figures stand by themselves. */
public class DatabaseBenchmark extends TransactionBenchmark {
    /** Milliseconds that were added to each round trip. */
    @Param("0")
    public int addedMillis;
}
