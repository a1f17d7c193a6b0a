package io.tallystick.reaper;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Named daemon threads. They do not inherit the thread-locals and the class loader of the thread that registers the
 * first transaction, which may belong to an application that is undeployed later.
 */
final class DaemonThreads implements ThreadFactory {
    private final String name;
    private final AtomicLong workers = new AtomicLong();

    DaemonThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable body) {
        boolean isWorker = body instanceof CancelWorkers.Worker;
        String threadName = isWorker ? name + "-worker-" + workers.incrementAndGet() : name;
        Thread thread = new Thread(null, body, threadName, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
        return thread;
    }
}
