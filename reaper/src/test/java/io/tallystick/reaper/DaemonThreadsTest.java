package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A thread of the reaper keeps nothing of the application that has registered the first transaction. */
class DaemonThreadsTest {
    private static final int LOOKS = 500;

    @Test
    void anApplicationWhoseCallHasStartedTheWatchCanBeCollectedWhileTheWatchLives() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        AtomicReference<Thread> started = new AtomicReference<>();

        WeakReference<ClassLoader> application = callFromAnApplication(() -> {
            started.set(new DaemonThreads("watch").newThread(() -> awaitEnd(end)));
            started.get().start();
        });

        assertThat(isCollected(application)).isTrue();
        assertThat(started.get().isAlive()).isTrue();
        end.countDown();
    }

    private static void awaitEnd(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException unexpected) {
            Thread.currentThread().interrupt();
        }
    }

    private static WeakReference<ClassLoader> callFromAnApplication(Runnable inner) throws Exception {
        ClassLoader application = new ApplicationLoader();
        Runnable call = (Runnable) application
                .loadClass(Application.class.getName())
                .getConstructor(Runnable.class)
                .newInstance(inner);
        Thread caller = new Thread(call, "caller");
        caller.setContextClassLoader(application);
        caller.start();
        caller.join();
        return new WeakReference<>(application);
    }

    private static boolean isCollected(WeakReference<ClassLoader> application) throws InterruptedException {
        for (int look = 0; look < LOOKS && application.get() != null; look++) {
            System.gc();
            new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
        }
        return application.get() == null;
    }

    /** The code of an application. */
    public static final class Application implements Runnable {
        private final Runnable inner;

        /** Will call this. */
        public Application(Runnable inner) {
            this.inner = inner;
        }

        @Override
        public void run() {
            new InheritableThreadLocal<Application>().set(this);
            inner.run();
        }
    }

    /** Has the class of the application once more. */
    private static final class ApplicationLoader extends ClassLoader {
        ApplicationLoader() {
            super(DaemonThreadsTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Application.class.getName())) {
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
