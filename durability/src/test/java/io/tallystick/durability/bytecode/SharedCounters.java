package io.tallystick.durability.bytecode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * Counters that two threads increment, each in another way. Those whose name begins with Racy lose an increment at
 * times.
 */
final class SharedCounters {
    private SharedCounters() {}

    /** Reads and writes a volatile field. */
    static final class RacyVolatile implements Runnable, IntSupplier {
        private volatile int value;

        @Override
        public void run() {
            int before = value;
            value = before + 1;
        }

        @Override
        public int getAsInt() {
            return value;
        }
    }

    /** Reads and writes a plain field. */
    static final class RacyPlain implements Runnable, IntSupplier {
        private int value;

        @Override
        public void run() {
            int before = value;
            value = before + 1;
        }

        @Override
        public int getAsInt() {
            return value;
        }
    }

    /** Reads and writes a plain field by a handle. */
    static final class RacyHandle implements Runnable, IntSupplier {
        private static final VarHandle VALUE;

        static {
            try {
                VALUE = MethodHandles.lookup().findVarHandle(RacyHandle.class, "value", int.class);
            } catch (ReflectiveOperationException impossible) {
                throw new ExceptionInInitializerError(impossible);
            }
        }

        private int value;

        @Override
        public void run() {
            int before = (int) VALUE.getAcquire(this);
            VALUE.setRelease(this, before + 1);
        }

        @Override
        public int getAsInt() {
            return value;
        }
    }

    /** Reads and writes an atomic in two steps. */
    static final class RacyAtomic implements Runnable, IntSupplier {
        private final AtomicInteger value = new AtomicInteger();

        @Override
        public void run() {
            value.set(value.get() + 1);
        }

        @Override
        public int getAsInt() {
            return value.get();
        }
    }

    /** Reads and writes a map in two steps. */
    static final class RacyMap implements Runnable, IntSupplier {
        private final ConcurrentHashMap<String, Integer> values = new ConcurrentHashMap<>();

        @Override
        public void run() {
            int before = values.getOrDefault("", 0);
            values.put("", before + 1);
        }

        @Override
        public int getAsInt() {
            return values.get("");
        }
    }

    /** Increments a volatile field under a lock of a map. */
    static final class ComputedInMap implements Runnable, IntSupplier {
        private final ConcurrentHashMap<String, Integer> values = new ConcurrentHashMap<>();
        private volatile int calls;

        @Override
        public void run() {
            values.compute("", (key, before) -> {
                calls++;
                return before == null ? 1 : before + 1;
            });
        }

        @Override
        public int getAsInt() {
            return Math.min(calls, values.get(""));
        }
    }

    /** Increments a volatile field under a lock. */
    static final class Locked implements Runnable, IntSupplier {
        private final ReentrantLock lock = new ReentrantLock();
        private volatile int value;

        @Override
        public void run() {
            lock.lock();
            try {
                value++;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public int getAsInt() {
            return value;
        }
    }

    /** Increments a volatile field in a synchronized block. */
    static final class InMonitor implements Runnable, IntSupplier {
        private volatile int value;

        @Override
        public void run() {
            synchronized (this) {
                value++;
            }
        }

        @Override
        public int getAsInt() {
            return value;
        }
    }

    /** Increments a volatile field in a synchronized method. */
    static final class SynchronizedMethod implements Runnable, IntSupplier {
        private volatile int value;

        @Override
        public void run() {
            if (add(1L, 1) == 0) {
                throw new AssertionError("nothing was added");
            }
        }

        private synchronized long add(long more, int times) {
            value += (int) (more * times);
            return more;
        }

        @Override
        public int getAsInt() {
            return value;
        }
    }

    /** The first thread waits until the second one has come. */
    static final class WaitingForAnother implements Runnable, IntSupplier {
        private volatile int value;

        @Override
        public void run() {
            synchronized (this) {
                value++;
                notifyAll();
                while (value < 2) {
                    try {
                        wait();
                    } catch (InterruptedException impossible) {
                        throw new AssertionError(impossible);
                    }
                }
            }
        }

        @Override
        public int getAsInt() {
            return value;
        }
    }

    /** Each waits for the other, or until a time is over, and looks again. */
    static final class WaitingWithATime implements Runnable, IntSupplier {
        private volatile int value;

        @Override
        public void run() {
            synchronized (this) {
                value++;
                while (value < 2) {
                    try {
                        wait(10);
                    } catch (InterruptedException impossible) {
                        throw new AssertionError(impossible);
                    }
                }
            }
        }

        @Override
        public int getAsInt() {
            return value;
        }
    }

    /** Adds what differs from run to run, outside a schedule. */
    static final class CountingThreadIds implements Runnable, IntSupplier {
        private final AtomicInteger value = new AtomicInteger();

        @Override
        public void run() {
            value.addAndGet(
                    (int) Thread.currentThread().getId() + Runtime.getRuntime().availableProcessors());
        }

        @Override
        public int getAsInt() {
            return value.get();
        }
    }

    /** Increments in threads of its own, and waits for their end. */
    static final class InOtherThreads implements Runnable, IntSupplier {
        private final AtomicInteger value = new AtomicInteger();

        /** Increments once. */
        private final class Incrementing extends Thread {
            Incrementing() {
                super("incrementing");
            }

            @Override
            public void run() {
                value.incrementAndGet();
            }
        }

        @Override
        public void run() {
            Thread first = new Incrementing();
            Thread second = new Thread(() -> value.decrementAndGet(), "decrementing");
            Thread third = new Thread(() -> value.incrementAndGet());
            try {
                for (Thread each : new Thread[] {first, second, third}) {
                    each.start();
                }
                for (Thread each : new Thread[] {first, second, third}) {
                    each.join();
                    if (each.isAlive()) {
                        throw new AssertionError("a thread outlives its join");
                    }
                }
            } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
        }

        @Override
        public int getAsInt() {
            return value.get();
        }
    }

    /** Parks without looking whether there is a reason: the wake-up that comes before the waiter is known is lost. */
    static final class LosingWakeUps implements Runnable, IntSupplier {
        private volatile Thread waiter;
        private volatile int value;

        @Override
        public void run() {
            if (value++ == 0) {
                waiter = Thread.currentThread();
                LockSupport.park(this);
            } else {
                LockSupport.unpark(waiter);
            }
        }

        @Override
        public int getAsInt() {
            return 2;
        }
    }

    /** Waits in a way that no schedule sees. */
    static final class Unknown implements Runnable, IntSupplier {
        private final CountDownLatch latch = new CountDownLatch(2);

        @Override
        public void run() {
            latch.countDown();
        }

        @Override
        public int getAsInt() {
            return (int) latch.getCount();
        }
    }

    /** Hides an atomic behind a reference to a method. */
    static final class Referring implements Runnable, IntSupplier {
        private final AtomicInteger value = new AtomicInteger();

        @Override
        public void run() {
            IntSupplier increment = value::incrementAndGet;
            increment.getAsInt();
        }

        @Override
        public int getAsInt() {
            return value.get();
        }
    }
}
