package io.tallystick.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * CPU time of the compilers of this JVM. The JVM's own figure is the time that each compilation took, waiting for a
 * core included, and it is counted when the compilation ends: beside hundreds of callers it is many times too large,
 * and in the wrong iteration. So the kernel is asked for the threads; where it does not tell, the JVM's figure is
 * taken.
 */
final class CompilerCpu {
    private static final Path TASKS = Path.of("/proc/self/task");
    /** The first field is the time on a core, nanoseconds. */
    private static final String STATISTICS = "schedstat";

    private static final boolean IS_TOLD = Files.isReadable(Path.of("/proc/self", STATISTICS));
    /** In the names of the threads of C1, C2 and JVMCI, which the kernel cuts after 15 characters. */
    private static final String COMPILER = "CompilerThre";

    private CompilerCpu() {}

    /** The CPU time of the compiler threads that live now, nanoseconds: it is less where one has ended. */
    static long nanosNow() {
        return IS_TOLD ? nanosOf(TASKS) : elapsed();
    }

    static long nanosOf(Path tasks) {
        long nanos = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                nanos += nanosOfThread(thread);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return nanos;
    }

    private static long nanosOfThread(Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).contains(COMPILER)
                    ? Long.parseLong(
                            Files.readString(thread.resolve(STATISTICS)).split(" ")[0])
                    : 0;
        } catch (IOException ended) {
            return 0;
        }
    }

    private static long elapsed() {
        CompilationMXBean bean = ManagementFactory.getCompilationMXBean();
        return bean == null || !bean.isCompilationTimeMonitoringSupported()
                ? 0
                : TimeUnit.MILLISECONDS.toNanos(bean.getTotalCompilationTime());
    }
}
