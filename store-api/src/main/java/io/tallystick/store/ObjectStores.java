package io.tallystick.store;

import io.tallystick.store.spi.NearestName;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** Opens the store that a configuration names. */
public final class ObjectStores {
    private static final System.Logger LOG = System.getLogger(ObjectStores.class.getName());
    private static final List<String> OWN_STORES = List.of("inmemory", "file", "journal");

    private ObjectStores() {}

    /** Opens the store that system properties, the environment and the file named there describe. */
    public static ObjectStore open() {
        return open(StoreConfiguration.fromEnvironment());
    }

    /**
     * Opens the configured store and says in one INFO line what runs where.
     *
     * @throws IllegalArgumentException no provider of that name is on the class path, or a required key is missing
     * @throws StoreException the store cannot be opened; nothing that was stored is changed
     */
    public static ObjectStore open(StoreConfiguration configuration) {
        String name = configuration.get(StoreOption.STORE);
        ObjectStoreProvider provider = provider(name);
        boolean isManaged = configuration.get(StoreOption.JMX);
        if (isManaged) {
            StoreManagement.requireModule();
        }
        ObjectStore store = provider.open(configuration);
        LOG.log(
                System.Logger.Level.INFO,
                "TALLY0001 store opened: {0}, records recovered: {1}",
                store.description(),
                Long.toString(store.statistics().records()));
        ObjectStore seen = isManaged ? ManagedStore.managing(store) : store;
        return configuration.get(StoreOption.ON_UNKNOWN_OUTCOME) == StoreOption.OnUnknownOutcome.HALT
                ? new HaltingStore(seen)
                : seen;
    }

    private static ObjectStoreProvider provider(String name) {
        TreeMap<String, ObjectStoreProvider> found = new TreeMap<>();
        // The loader of this library first, so that a transaction manager's class loader does not matter.
        List<ClassLoader> loaders = new ArrayList<>();
        loaders.add(ObjectStores.class.getClassLoader());
        loaders.add(Thread.currentThread().getContextClassLoader());
        for (ClassLoader loader : loaders) {
            for (ObjectStoreProvider provider : ServiceLoader.load(ObjectStoreProvider.class, loader)) {
                found.putIfAbsent(provider.name(), provider);
            }
        }
        ObjectStoreProvider provider = found.get(name);
        if (provider == null) {
            throw new IllegalArgumentException(
                    message(name, found.keySet().stream().toList()));
        }
        return provider;
    }

    private static String message(String name, List<String> found) {
        String there =
                found.isEmpty() ? "no store is on the class path" : "on the class path: " + String.join(", ", found);
        String remedy = OWN_STORES.contains(name)
                ? "add the artifact tallystick-store-" + name.toLowerCase(Locale.ROOT)
                : "did you mean '" + NearestName.of(name, found.isEmpty() ? OWN_STORES : found) + "'?";
        return StoreOption.STORE.key() + "='" + Printable.of(name) + "' is not there (" + there + "); " + remedy;
    }
}
