package io.tallystick.store;

import io.tallystick.store.spi.ObjectStoreProvider;
import io.tallystick.store.text.NearestName;
import io.tallystick.store.text.Printable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** Opens the store that a configuration names. */
public final class ObjectStores {
    private static final System.Logger LOG = System.getLogger(ObjectStores.class.getName());

    // A class path that cannot be read fails at every step of the search.
    private static final int MAX_UNUSABLE = 16;

    private ObjectStores() {}

    /** Opens the store that system properties, the environment and the file named there describe. */
    public static ObjectStore open() {
        return open(StoreConfiguration.fromEnvironment());
    }

    /**
     * Opens the configured store. One INFO line has the store and its place, and a line at DEBUG has the reasons. A
     * WARNING line names each key of an earlier version, and the key that replaces it. An INFO line names variables of
     * Kubernetes that look like settings.
     *
     * @throws IllegalArgumentException no provider of that name is on the class path, or a required key is missing
     * @throws StoreException the store cannot be opened; nothing that was stored is changed
     */
    public static ObjectStore open(StoreConfiguration configuration) {
        String name = configuration.get(StoreOption.STORE);
        ObjectStoreProvider provider = provider(name);
        boolean isManaged = configuration.get(StoreOption.JMX);
        if (isManaged) {
            requireManagement();
        }
        ObjectStore store = provider.open(configuration);
        boolean isHandedOver = false;
        try {
            tell(store, configuration);
            ObjectStore seen = isManaged ? ManagedStore.managing(store) : store;
            isHandedOver = true;
            ObjectStore halting = configuration.get(StoreOption.ON_UNKNOWN_OUTCOME) == StoreOption.OnUnknownOutcome.HALT
                    ? new HaltingStore(seen)
                    : seen;
            return configuration.get(StoreOption.ON_LOST_LOG) == StoreOption.OnLostLog.HALT
                    ? LostLogHalt.watching(halting)
                    : halting;
        } finally {
            if (!isHandedOver) { // a logger or an agent has thrown, and nobody else could close the store
                store.close();
            }
        }
    }

    private static void tell(ObjectStore store, StoreConfiguration configuration) {
        if (LOG.isLoggable(System.Logger.Level.INFO)) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "TALLY0001 store opened: {0}, records recovered: {1}",
                    store.description(),
                    Long.toString(store.statistics().records()));
        }
        if (!configuration.serviceVariables().isEmpty()) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "TALLY0023 environment variables that Kubernetes makes for its services are no settings, and are"
                            + " left alone: {0}; enableServiceLinks: false in the pod leaves them out",
                    configuration.serviceVariables());
        }
        if (!store.description().details().isEmpty()) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "TALLY0005 ways to the disk that were tried: {0}",
                    store.description().details());
        }
    }

    private static void requireManagement() {
        try {
            StoreManagement.requireServer();
        } catch (LinkageError missing) {
            throw new IllegalArgumentException(
                    StoreOption.JMX.key()
                            + "=true needs the module java.management, which this runtime does not have or"
                            + " the class loader of this library does not see; add it with --add-modules"
                            + " java.management or to the dependencies of the application server's module, or leave the"
                            + " key out",
                    missing);
        }
    }

    private static ObjectStoreProvider provider(String name) {
        TreeMap<String, ObjectStoreProvider> found = new TreeMap<>();
        List<ServiceConfigurationError> unusable = new ArrayList<>();
        // The loader of this library first, so that copies in the class loaders of other modules do not matter.
        List<ClassLoader> loaders = new ArrayList<>();
        loaders.add(ObjectStores.class.getClassLoader());
        loaders.add(Thread.currentThread().getContextClassLoader());
        for (ClassLoader loader : loaders) {
            collect(loader, found, unusable);
            ObjectStoreProvider provider = found.get(name);
            if (provider != null) {
                return provider;
            }
        }
        IllegalArgumentException missing = new IllegalArgumentException(
                message(name, found.keySet().stream().toList(), unusable));
        unusable.forEach(missing::addSuppressed);
        throw missing;
    }

    /** Collects the providers, also if the classes of one are missing. */
    private static void collect(
            ClassLoader loader, TreeMap<String, ObjectStoreProvider> found, List<ServiceConfigurationError> unusable) {
        Iterator<ObjectStoreProvider> providers =
                ServiceLoader.load(ObjectStoreProvider.class, loader).iterator();
        int failuresLeft = MAX_UNUSABLE;
        while (failuresLeft > 0) {
            try {
                if (!providers.hasNext()) {
                    return;
                }
                ObjectStoreProvider provider = providers.next();
                found.putIfAbsent(provider.name(), provider);
            } catch (ServiceConfigurationError refused) {
                unusable.add(refused);
                failuresLeft--;
            } catch (LinkageError missing) { // JDK 25 throws it if a class of a provider's signatures is missing
                unusable.add(new ServiceConfigurationError("a store could not be loaded", missing));
                failuresLeft--;
            }
        }
    }

    private static String message(String name, List<String> found, List<ServiceConfigurationError> unusable) {
        String there =
                found.isEmpty() ? "no store is on the class path" : "on the class path: " + String.join(", ", found);
        String remedy = StoreOption.OWN_STORES.contains(name)
                ? "add the artifact tallystick-store-" + name.toLowerCase(Locale.ROOT)
                : "did you mean '" + NearestName.of(name, found.isEmpty() ? StoreOption.OWN_STORES : found) + "'?";
        if (!unusable.isEmpty()) {
            ServiceConfigurationError first = unusable.get(0);
            there += "; not usable: " + first.getMessage() + (first.getCause() == null ? "" : ", " + first.getCause());
            remedy += ", or add the classes that the unusable store lacks to the class path";
        }
        return StoreOption.STORE.key() + "='" + Printable.of(name) + "' is not there (" + there + "); " + remedy;
    }
}
