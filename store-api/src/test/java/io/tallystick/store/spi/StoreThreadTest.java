package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread of a store keeps nothing of the application whose call has started it. */
class StoreThreadTest {
    private static final int LOOKS = 500;

    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void endThreads() {
        end.countDown();
    }

    @Test
    void anApplicationWhoseCallHasStartedAThreadCanBeCollectedWhileTheThreadLives() throws Exception {
        AtomicReference<Thread> started = new AtomicReference<>();

        WeakReference<ClassLoader> application =
                startFromAnApplication(() -> StoreThread.of(this::awaitEnd, "store-thread"), started);

        assertThat(isCollected(application)).isTrue();
        assertThat(started.get().isAlive()).isTrue();
    }

    @Test
    void anApplicationWhoseCallHasStartedAThreadOfASubclassCanBeCollectedToo() throws Exception {
        AtomicReference<Thread> started = new AtomicReference<>();

        WeakReference<ClassLoader> application =
                startFromAnApplication(() -> StoreThread.made(making -> new Waiting(making, end)), started);

        assertThat(isCollected(application)).isTrue();
        assertThat(started.get().isAlive()).isTrue();
    }

    @Test
    void aThreadThatIsMadeInAnotherWayKeepsTheApplication() throws Exception {
        AtomicReference<Thread> started = new AtomicReference<>();

        WeakReference<ClassLoader> application = startFromAnApplication(() -> new Thread(this::awaitEnd), started);

        System.gc();
        assertThat(application.get()).isNotNull();
        assertThat(started.get().isAlive()).isTrue();
    }

    @Test
    void aThreadIsADaemonWithTheClassLoaderOfTheLibrary() {
        Thread made = StoreThread.of(this::awaitEnd, "name");

        assertThat(made.isDaemon()).isTrue();
        assertThat(made.getName()).isEqualTo("name");
        assertThat(made.getContextClassLoader()).isSameAs(StoreThread.class.getClassLoader());
    }

    private void awaitEnd() {
        UninterruptedWait.through(end::await);
    }

    /** Starts the thread in a call of an application: its code is on the stack, its loader and its locals are set. */
    private static WeakReference<ClassLoader> startFromAnApplication(
            Supplier<Thread> maker, AtomicReference<Thread> started) throws Exception {
        ClassLoader application = new ApplicationLoader();
        Runnable call = (Runnable) application
                .loadClass(Application.class.getName())
                .getConstructor(Runnable.class)
                .newInstance((Runnable) () -> {
                    started.set(maker.get());
                    started.get().start();
                });
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
            super(StoreThreadTest.class.getClassLoader());
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

    private static final class Waiting extends StoreThread {
        private final CountDownLatch end;

        Waiting(Making making, CountDownLatch end) {
            super(making, "waiting");
            this.end = end;
        }

        @Override
        public void run() {
            UninterruptedWait.through(end::await);
        }
    }
}
