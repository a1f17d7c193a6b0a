package io.tallystick.store;

import io.tallystick.store.spi.ObjectStoreProvider;

/** Opens the store that a configuration names. */
public final class ObjectStores {
    private static final System.Logger LOG = System.getLogger(ObjectStores.class.getName());

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
     * @throws IllegalArgumentException no provider of that name is on the class path, or two are, or a required key is
     *     missing
     * @throws StoreException the store cannot be opened; nothing that was stored is changed
     */
    public static ObjectStore open(StoreConfiguration configuration) {
        String name = configuration.get(StoreOption.STORE);
        ObjectStoreProvider provider = StoreProviders.named(name);
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
}
