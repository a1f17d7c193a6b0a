package io.tallystick.narayana;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A container that deploys one application twice, each time in a class loader of its own with all jars. */
final class RedeployingProcess {
    /** What it prints before the store's description, or why there is none; one line for each deployment. */
    static final String STARTED = "started: ";

    static final String REFUSED = "refused: ";
    /** Before the name of a thread of the library, or of the stopped application. */
    static final String LEFT = "thread left: ";
    /** Before whether the class loader of the first application was collected. */
    static final String COLLECTED = "collected: ";
    /** In place of a kind of stop: the container forgets the application. */
    static final String NO_STOP = "no stop";

    private static final int LOOKS = 50;

    private RedeployingProcess() {}

    /** @param arguments how the first application is stopped */
    public static void main(String[] arguments) throws Exception {
        WeakReference<ClassLoader> first = new WeakReference<>(deploy(arguments[0]));
        for (int look = 0; look < LOOKS && first.get() != null; look++) {
            System.gc();
            new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
        }
        System.out.println(COLLECTED + (first.get() == null));
        deploy(NO_STOP);
        System.exit(0);
    }

    /** Starts the application, has it work, and stops it. */
    private static ClassLoader deploy(String stop) throws Exception {
        URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
        Object application = loader.loadClass(DeployedApplication.class.getName())
                .getConstructor()
                .newInstance();
        try {
            System.out.println(STARTED + request(loader, (Callable<?>) application));
        } catch (ExecutionException refused) {
            System.out.println(REFUSED + refused.getCause());
        }
        if (!stop.equals(NO_STOP)) {
            request(loader, () -> {
                @SuppressWarnings("unchecked")
                Consumer<String> stopped = (Consumer<String>) application;
                stopped.accept(stop);
                return null;
            });
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getContextClassLoader() == loader
                            || thread.getClass().getClassLoader() == loader
                            || thread.getName().startsWith("tallystick"))
                    .forEach(thread -> System.out.println(LEFT + thread.getName()));
        }
        return loader;
    }

    /** Calls the application as a thread of the container does, which ends afterwards. */
    private static <T> T request(ClassLoader loader, Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "request");
        thread.setContextClassLoader(loader);
        thread.start();
        thread.join();
        return task.get();
    }

    private static URL[] classPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }
}
