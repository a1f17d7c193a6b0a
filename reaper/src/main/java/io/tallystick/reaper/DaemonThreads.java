package io.tallystick.reaper;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Named daemon threads. They keep nothing of the thread that registers the first transaction, which may belong to an
 * application that is undeployed later: no thread-locals, no class loader, and no protection domains of the classes on
 * its stack.
 */
final class DaemonThreads implements ThreadFactory {
    /** From this version on, the JDK keeps no protection domains of the maker (JEP 486). */
    private static final int WITHOUT_ACCESS_CONTEXT = 24;

    private static final boolean KEEPS_ACCESS_CONTEXT = Runtime.version().feature() < WITHOUT_ACCESS_CONTEXT;

    private final String name;
    private final AtomicLong workers = new AtomicLong();

    DaemonThreads(String name) {
        this.name = name;
    }

    /** The JDK has no other way to make a thread without the maker's domains, and none is needed from JDK 24 on. */
    @Override
    @SuppressWarnings("removal")
    public Thread newThread(Runnable body) {
        boolean isWorker = body instanceof CancelWorkers.Worker;
        String threadName = isWorker ? name + "-worker-" + workers.incrementAndGet() : name;
        Making making = new Making(body, threadName);
        return KEEPS_ACCESS_CONTEXT ? AccessController.doPrivileged(making) : making.run();
    }

    /** Makes one thread, with the privileges of this library. No lambda: there may be no memory for its class. */
    private static final class Making implements PrivilegedAction<Thread> {
        private final Runnable body;
        private final String threadName;

        Making(Runnable body, String threadName) {
            this.body = body;
            this.threadName = threadName;
        }

        @Override
        public Thread run() {
            Thread thread = new Thread(null, body, threadName, 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(DaemonThreads.class.getClassLoader());
            return thread;
        }
    }
}
