package io.tallystick.durability.planted;

import io.tallystick.durability.bytecode.ScheduleRewriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The classes of the stores and of the reaper, defined a second time: with a bug in one of them, or under a schedule,
 * or both. The other copies of these classes do not change. The types that stages pass to stores, above all disks, are
 * not defined again. The classes in which stores wait, make threads and complete stages are defined again, because a
 * schedule must see every wait.
 */
public final class PlantedClasses extends ClassLoader {
    private static final List<String> DEFINED_AGAIN = List.of(
            "io.tallystick.reaper.",
            "io.tallystick.store.file.",
            "io.tallystick.store.journal.",
            "io.tallystick.store.log.",
            "io.tallystick.store.postgresql.",
            "io.tallystick.store.spi.EndingThreads",
            "io.tallystick.store.spi.RunningLoops",
            "io.tallystick.store.spi.SettledStages",
            "io.tallystick.store.spi.StageCompleter",
            "io.tallystick.store.spi.StageWatcher",
            "io.tallystick.store.spi.StoreThread",
            "io.tallystick.store.spi.UninterruptedWait",
            "io.tallystick.durability.scenario.");

    private final PlantedBug bugOrNull;
    private final byte[] bytesWithBug;
    private final ScheduleRewriter rewriterOrNull;

    private PlantedClasses(PlantedBug bugOrNull, Instrumentation scheduledOrNull) {
        super(PlantedClasses.class.getClassLoader());
        this.bugOrNull = bugOrNull;
        this.bytesWithBug =
                bugOrNull == null ? null : bugOrNull.plantedIn(original(bugOrNull.className()), getParent());
        this.rewriterOrNull = scheduledOrNull == null
                ? null
                : new ScheduleRewriter(getParent(), DEFINED_AGAIN, scheduledOrNull.unseen());
    }

    /**
     * With this bug, or, if it is null, without any change.
     *
     * @throws IllegalStateException the bug does not fit the classes of today
     */
    public static PlantedClasses with(PlantedBug bugOrNull) {
        return new PlantedClasses(bugOrNull, null);
    }

    /** With this bug, unless it is null, and under a schedule. */
    public static PlantedClasses scheduled(PlantedBug bugOrNull, Instrumentation instrumentation) {
        return new PlantedClasses(bugOrNull, instrumentation);
    }

    /**
     * Writes the class with the bug for the class path of another process; nothing if there is no bug.
     *
     * @param directory the entry of the class path
     */
    public void writeTo(Path directory) throws IOException {
        if (bugOrNull != null) {
            Path file = directory.resolve(fileOf(bugOrNull.className()));
            Files.createDirectories(file.getParent());
            Files.write(file, bytesWithBug);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (DEFINED_AGAIN.stream().noneMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] bytes = bytesOf(name);
                loaded = defineClass(name, bytes, 0, bytes.length);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    /** The class, after the virtual machine has verified its code. */
    Class<?> verified(String name) throws ClassNotFoundException {
        return Class.forName(name, true, this);
    }

    private byte[] bytesOf(String name) throws ClassNotFoundException {
        if (getParent().getResource(fileOf(name)) == null) {
            throw new ClassNotFoundException(name);
        }
        byte[] bytes = bugOrNull != null && bugOrNull.className().equals(name) ? bytesWithBug : original(name);
        return rewriterOrNull == null ? bytes : rewriterOrNull.rewritten(bytes);
    }

    private byte[] original(String name) {
        try (InputStream original = getParent().getResourceAsStream(fileOf(name))) {
            if (original == null) {
                throw new IllegalStateException("there is no class " + name);
            }
            return original.readAllBytes();
        } catch (IOException unreadable) {
            throw new UncheckedIOException("the class " + name + " cannot be read", unreadable);
        }
    }

    private static String fileOf(String name) {
        return name.replace('.', '/') + ".class";
    }
}
