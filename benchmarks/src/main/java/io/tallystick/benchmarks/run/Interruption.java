package io.tallystick.benchmarks.run;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ctrl-C: ends the JVMs that measure, reports their results, then deletes their files. The thread that carries the
 * plan out stops first, so that it starts no other JVM.
 */
public final class Interruption {
    private static final int PATIENCE_SECONDS = 10;
    private static final int GRACE_SECONDS = 3;
    private static final long POLL_MILLIS = 50;

    private final RunDirectory directory;
    private final Progress progress;
    private final Thread hook = new Thread(this::cleanUp, "bench-interruption");
    private final CountDownLatch halted = new CountDownLatch(1);
    private volatile Runnable report = () -> {};
    private volatile boolean stepping;
    private volatile boolean asked;

    public Interruption(RunDirectory directory, Progress progress) {
        this.directory = directory;
        this.progress = progress;
    }

    /** Sets the report for an interrupted run; no other thread would show the figures. */
    void reportBy(Runnable lastWords) {
        report = lastWords;
    }

    public void arm() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The run is over: the directory goes, and an interruption from now on has nothing to clean up. */
    public void disarm() throws IOException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            waitForTheEnd(); // the hook is running
        }
        directory.delete();
    }

    /** The thread that carries the plan out calls this between steps. It does not return once the process is ending. */
    void stopHereIfAsked() {
        stepping = true;
        if (asked) {
            halted.countDown();
            waitForTheEnd();
        }
    }

    /** The same thread calls this after the last step: it starts no more steps. */
    void stepsAreOver() {
        stepping = false;
    }

    private static void waitForTheEnd() {
        while (true) {
            LockSupport.park();
        }
    }

    private void cleanUp() {
        asked = true;
        progress.abandon();
        try {
            // A server that is killed leaves shared memory behind. The step stops it when its own process has ended.
            ProcessHandle.current().children().forEach(ProcessHandle::destroy);
            if (stepping) {
                halted.await(GRACE_SECONDS, TimeUnit.SECONDS);
            }
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            do {
                ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            } while (stepping && !halted.await(POLL_MILLIS, TimeUnit.MILLISECONDS) && System.nanoTime() < deadline);
            report.run();
            directory.delete();
        } catch (InterruptedException | IOException failed) {
            System.err.println("bench: " + directory.path() + " could not be deleted (" + failed + ")");
        }
    }
}
