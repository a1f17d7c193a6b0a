package io.tallystick.store.file;

import java.io.IOException;
import java.io.InputStream;

/** Starts virtual threads where the JDK has them. */
final class VirtualThreadsOfTheJdk {
    private VirtualThreadsOfTheJdk() {}

    static boolean areThere() {
        return Runtime.version().feature() >= 21;
    }

    static Thread start(Runnable task) throws ReflectiveOperationException {
        return (Thread)
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }

    /**
     * Runs the task below a frame of native code, which pins a virtual thread to its carrier on every JDK: in the
     * initializer of a class.
     */
    static void runPinned(Runnable task) {
        try {
            Class.forName(Initialized.class.getName(), true, new TaskLoader(task));
        } catch (ClassNotFoundException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static final class Initialized {
        static {
            ((Runnable) Initialized.class.getClassLoader()).run();
        }
    }

    /** Has the class once more, which is not initialized yet. */
    private static final class TaskLoader extends ClassLoader implements Runnable {
        private final Runnable task;

        TaskLoader(Runnable task) {
            super(VirtualThreadsOfTheJdk.class.getClassLoader());
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Initialized.class.getName())) {
                return super.loadClass(name, resolve);
            }
            try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }
}
