package io.tallystick.store.spi;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.Objects;
import java.util.function.Function;

/**
 * A thread of the stores: a daemon that keeps nothing of the thread that makes it.
 *
 * <p>The call of an application starts most threads of a store, and some live as long as the store. A thread of the
 * JDK keeps what its maker had: the context class loader, the inheritable thread-locals, and up to JDK 23 the
 * protection domains of all classes on the maker's stack. Each of the three keeps an application in memory after it was
 * undeployed. So a thread of this class has the class loader of this library as context class loader, and no
 * thread-locals. It is made with the privileges of this library, so the JDK does not look at the stack of the caller.
 *
 * <p>Every thread of the stores is made here. The reaper, which knows no other module, has a factory of its own that
 * does the same.
 */
public class StoreThread extends Thread {
    /** From this version on, the JDK keeps no protection domains of the maker (JEP 486). */
    private static final int WITHOUT_ACCESS_CONTEXT = 24;

    private static final boolean KEEPS_ACCESS_CONTEXT = Runtime.version().feature() < WITHOUT_ACCESS_CONTEXT;

    private static final MethodHandle IS_VIRTUAL = isVirtual();

    /** Only {@link #made} has one, so that no subclass is made in another way. */
    public static final class Making {
        private Making() {}
    }

    /**
     * For a subclass, which has {@link #run} itself.
     *
     * @param making as {@link #made} gives it
     * @param name of the thread
     */
    protected StoreThread(Making making, String name) {
        this(making, null, name);
    }

    private StoreThread(Making making, Runnable taskOrNull, String name) {
        super(null, taskOrNull, name, 0, false);
        Objects.requireNonNull(making, "making");
    }

    /**
     * A thread of this name that runs the task, not started.
     *
     * @throws OutOfMemoryError there is no memory for it
     */
    public static StoreThread of(Runnable task, String name) {
        Objects.requireNonNull(task, "task");
        return privileged(new Plain(task, name));
    }

    /**
     * The thread that the function makes, not started.
     *
     * @param maker makes it with what it is given, which is good for one call
     * @throws OutOfMemoryError there is no memory for it
     */
    public static <T extends StoreThread> T made(Function<Making, T> maker) {
        return privileged(new Made<>(maker));
    }

    /** Whether the calling thread is a virtual one. Before JDK 21 there are none. */
    public static boolean isCurrentVirtual() {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable impossible) { // Thread.isVirtual throws nothing
            throw new IllegalStateException(impossible);
        }
    }

    private static MethodHandle isVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException beforeJdk21) {
            return null;
        }
    }

    /** The JDK has no other way to make a thread without the maker's domains, and none is needed from JDK 24 on. */
    @SuppressWarnings("removal")
    private static <T extends StoreThread> T privileged(PrivilegedAction<T> making) {
        return KEEPS_ACCESS_CONTEXT ? AccessController.doPrivileged(making) : making.run();
    }

    /** With the permissions of this library too: the maker may have none to set a class loader. */
    private static <T extends StoreThread> T finished(T thread) {
        thread.setDaemon(true);
        thread.setContextClassLoader(StoreThread.class.getClassLoader());
        return thread;
    }

    // No lambdas: the first use of one makes a class, and there may be no memory for it where a failure is told.

    private static final class Plain implements PrivilegedAction<StoreThread> {
        private final Runnable task;
        private final String name;

        Plain(Runnable task, String name) {
            this.task = task;
            this.name = name;
        }

        @Override
        public StoreThread run() {
            return finished(new StoreThread(new Making(), task, name));
        }
    }

    private static final class Made<T extends StoreThread> implements PrivilegedAction<T> {
        private final Function<Making, T> maker;

        Made(Function<Making, T> maker) {
            this.maker = maker;
        }

        @Override
        public T run() {
            return finished(maker.apply(new Making()));
        }
    }
}
