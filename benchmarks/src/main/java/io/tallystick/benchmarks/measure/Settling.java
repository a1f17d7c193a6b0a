package io.tallystick.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A JVM that has measured still compiles and collects. It answers only when it has come to rest, so that it is no
 * company of the JVM that is measured next.
 */
public final class Settling {
    private static final int LOOK_MILLIS = 100;
    /** The processor time that a JVM at rest uses between two looks. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int MOST_LOOKS = 50;

    private Settling() {}

    /** Waits until this process uses less than a tenth of a core, five seconds at most. */
    public static void await() throws InterruptedException {
        OperatingSystemMXBean bean = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        await(bean::getProcessCpuTime);
    }

    static void await(LongSupplier cpuNanos) throws InterruptedException {
        long before = cpuNanos.getAsLong();
        for (int look = 0; look < MOST_LOOKS; look++) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            long now = cpuNanos.getAsLong();
            if (now - before < REST_NANOS) {
                return;
            }
            before = now;
        }
    }
}
