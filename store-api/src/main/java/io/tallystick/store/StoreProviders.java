package io.tallystick.store;

import io.tallystick.store.spi.ObjectStoreProvider;
import io.tallystick.store.text.NearestName;
import io.tallystick.store.text.Printable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * The providers on the class path: those that the loader of this library sees, and then those that the context loader
 * of the thread sees. So copies in the class loaders of other modules do not matter.
 */
final class StoreProviders {
    // A class path that cannot be read fails at every step of the search.
    private static final int MAX_UNUSABLE = 16;

    private final Map<String, ObjectStoreProvider> found = new TreeMap<>();
    private final Map<String, String> twins = new TreeMap<>();
    private final List<ServiceConfigurationError> unusable = new ArrayList<>();

    private StoreProviders() {}

    /** All that there are. */
    static StoreProviders onTheClassPath() {
        StoreProviders providers = new StoreProviders();
        loaders().forEach(providers::collect);
        return providers;
    }

    /**
     * The provider of this name.
     *
     * @throws IllegalArgumentException there is none, or there are two
     */
    static ObjectStoreProvider named(String name) {
        StoreProviders providers = new StoreProviders();
        for (ClassLoader loader : loaders()) {
            providers.collect(loader);
            ObjectStoreProvider provider = providers.found.get(name);
            if (provider != null) {
                providers.checkAlone(name, provider);
                return provider;
            }
        }
        IllegalArgumentException missing = new IllegalArgumentException(providers.message(name));
        providers.unusable.forEach(missing::addSuppressed);
        throw missing;
    }

    /** By their names. */
    Map<String, ObjectStoreProvider> all() {
        return found;
    }

    /** What keeps others from being used. */
    List<ServiceConfigurationError> unusable() {
        return unusable;
    }

    private static List<ClassLoader> loaders() {
        List<ClassLoader> loaders = new ArrayList<>();
        loaders.add(StoreProviders.class.getClassLoader());
        loaders.add(Thread.currentThread().getContextClassLoader()); // may be null: that of the system
        return loaders;
    }

    /** Collects the providers, also if the classes of one are missing. */
    private void collect(ClassLoader loader) {
        Iterator<ObjectStoreProvider> providers =
                ServiceLoader.load(ObjectStoreProvider.class, loader).iterator();
        int failuresLeft = MAX_UNUSABLE;
        while (failuresLeft > 0) {
            try {
                if (!providers.hasNext()) {
                    return;
                }
                add(providers.next());
            } catch (ServiceConfigurationError refused) {
                unusable.add(refused);
                failuresLeft--;
            } catch (RuntimeException nameless) { // its name throws, or is none
                unusable.add(new ServiceConfigurationError("a store does not tell its name", nameless));
                failuresLeft--;
            } catch (LinkageError missing) { // JDK 25 throws it if a class of a provider's signatures is missing
                unusable.add(new ServiceConfigurationError("a store could not be loaded", missing));
                failuresLeft--;
            }
        }
    }

    private void add(ObjectStoreProvider provider) {
        ObjectStoreProvider first = found.putIfAbsent(provider.name(), provider);
        if (first != null && !classOf(first).equals(classOf(provider))) {
            twins.put(provider.name(), classOf(provider));
        }
    }

    private void checkAlone(String name, ObjectStoreProvider provider) {
        if (twins.containsKey(name)) {
            throw new IllegalArgumentException(StoreOption.STORE.key() + "='" + Printable.of(name)
                    + "' is the name of two stores on the class path, " + classOf(provider) + " and " + twins.get(name)
                    + ": which one has written a log is not known; remove one of them");
        }
    }

    private static String classOf(ObjectStoreProvider provider) {
        return provider.getClass().getName();
    }

    private String message(String name) {
        List<String> names = List.copyOf(found.keySet());
        String there =
                names.isEmpty() ? "no store is on the class path" : "on the class path: " + String.join(", ", names);
        String remedy = StoreOption.OWN_STORES.contains(name)
                ? "add the artifact tallystick-store-" + name.toLowerCase(Locale.ROOT)
                : "did you mean '" + NearestName.of(name, names.isEmpty() ? StoreOption.OWN_STORES : names) + "'?";
        if (!unusable.isEmpty()) {
            ServiceConfigurationError first = unusable.get(0);
            there += "; not usable: " + first.getMessage() + (first.getCause() == null ? "" : ", " + first.getCause());
            remedy += ", or add the classes that the unusable store lacks to the class path";
        }
        return StoreOption.STORE.key() + "='" + Printable.of(name) + "' is not there (" + there + "); " + remedy;
    }
}
