package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.UsageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Prevents two benchmarks on one machine, by the lock file that every run of JMH takes. JMH would take it anew for each
 * step, and fail in the middle of a run.
 */
final class MachineLock implements AutoCloseable {
    /** No lock: other runs may run at the same time. */
    static final MachineLock NONE = new MachineLock(null);

    private static final String IGNORE_KEY = "jmh.ignoreLock";

    private final FileChannel channel;

    private MachineLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock for the whole run; JMH in this JVM then does not take it.
     *
     * @throws UsageException another benchmark has it
     */
    static MachineLock take() throws IOException {
        if (Boolean.getBoolean(IGNORE_KEY)) {
            return NONE;
        }
        Path file = Path.of(System.getProperty("java.io.tmpdir"), "jmh.lock");
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            throw new UsageException("another benchmark is running on this machine (it holds " + file
                    + ") and each would spoil the other's figures; wait for it, or insist with BENCH_JAVA_ARGS=-D"
                    + IGNORE_KEY + "=true");
        }
        System.setProperty(IGNORE_KEY, "true");
        return new MachineLock(channel);
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
