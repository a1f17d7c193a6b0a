package io.tallystick.store.journal.artemis;

import io.tallystick.store.journal.JournalStores;
import java.lang.reflect.InvocationTargetException;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Opens and closes a store with the classes of another loader. */
public final class OpenAndClose {
    private OpenAndClose() {}

    static void runIn(URLClassLoader classes, Path directory, String engine) throws Exception {
        try (URLClassLoader loader = classes) {
            Class<?> opener = loader.loadClass(OpenAndClose.class.getName());
            opener.getMethod("run", Path.class, String.class).invoke(null, directory, engine);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof Exception exception) {
                throw exception;
            }
            throw thrown;
        }
    }

    /** Runs with the classes of the loader that has loaded this class. */
    public static void run(Path directory, String engine) {
        JournalStores.open(JournalStores.small(directory, engine, "channel")).close();
    }
}
