package io.tallystick.store.spi;

import io.tallystick.store.UnsupportedFormatException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The inspectors on the class path, and the one that fits a directory. */
public final class StoreInspectors {
    private StoreInspectors() {}

    /** All inspectors, one a kind, in the order of their kinds. */
    public static List<StoreInspector> all() {
        TreeMap<String, StoreInspector> found = new TreeMap<>();
        List<ClassLoader> loaders = new ArrayList<>();
        loaders.add(StoreInspectors.class.getClassLoader());
        loaders.add(Thread.currentThread().getContextClassLoader());
        for (ClassLoader loader : loaders) {
            for (StoreInspector inspector : ServiceLoader.load(StoreInspector.class, loader)) {
                found.putIfAbsent(inspector.kind(), inspector);
            }
        }
        return found.values().stream()
                .sorted(Comparator.comparing(StoreInspector::kind))
                .toList();
    }

    /**
     * The inspector for the store in the directory.
     *
     * @throws UnsupportedFormatException the directory is missing, empty, or holds no store that an inspector knows
     * @throws io.tallystick.store.StoreIoException the directory cannot be read
     */
    public static StoreInspector of(Path directory) {
        List<StoreInspector> inspectors = all();
        for (StoreInspector inspector : inspectors) {
            if (inspector.recognizes(directory)) {
                return inspector;
            }
        }
        throw new UnsupportedFormatException("directory=" + directory.toAbsolutePath()
                + " does not exist or holds no store of a kind that is known here ("
                + String.join(
                        ", ", inspectors.stream().map(StoreInspector::kind).toList())
                + "); name the directory that has the file tallystick.store");
    }

    /**
     * Reads the store in the directory, as {@link StoreInspector#inspect} does.
     *
     * @throws UnsupportedFormatException the directory is missing, empty, or holds no store that an inspector knows
     */
    public static StoreInspection inspect(Path directory) {
        return of(directory).inspect(directory);
    }
}
