package io.tallystick.store.spi;

import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.services.NamedServices;
import io.tallystick.store.services.NamedServices.Search;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;

/** The inspectors on the class path, and the one that fits a directory. */
public final class StoreInspectors {
    private static final Search<StoreInspector> SEARCH = new Search<>(
            StoreInspectors.class.getClassLoader(), loader -> ServiceLoader.load(StoreInspector.class, loader));

    private StoreInspectors() {}

    /** All inspectors that can be used, one a kind, in the order of their kinds. */
    public static List<StoreInspector> all() {
        return List.copyOf(found().byName().values());
    }

    private static NamedServices<StoreInspector> found() {
        return NamedServices.all("an inspector", SEARCH, StoreInspector::kind);
    }

    /**
     * The inspector for the store in the directory.
     *
     * @throws UnsupportedFormatException the directory is missing, empty, or holds no store that an inspector knows
     * @throws io.tallystick.store.StoreIoException the directory cannot be read
     */
    public static StoreInspector of(Path directory) {
        NamedServices<StoreInspector> inspectors = found();
        for (StoreInspector inspector : inspectors.byName().values()) {
            if (inspector.recognizes(directory)) {
                return inspector;
            }
        }
        throw new UnsupportedFormatException("directory=" + directory.toAbsolutePath()
                + " does not exist or holds no store of a kind that is known here ("
                + String.join(", ", inspectors.byName().keySet())
                + inspectors.unusableSuffix()
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
