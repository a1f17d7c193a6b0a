package io.tallystick.store;

import io.tallystick.store.services.NamedServices;
import io.tallystick.store.services.NamedServices.Search;
import io.tallystick.store.spi.ObjectStoreProvider;
import io.tallystick.store.text.NearestName;
import io.tallystick.store.text.Printable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/** The providers on the class path. */
final class StoreProviders {
    private static final String KIND = "a store";
    private static final Search<ObjectStoreProvider> SEARCH = new Search<>(
            StoreProviders.class.getClassLoader(), loader -> ServiceLoader.load(ObjectStoreProvider.class, loader));

    private final NamedServices<ObjectStoreProvider> services;

    private StoreProviders(NamedServices<ObjectStoreProvider> services) {
        this.services = services;
    }

    /** All that there are. */
    static StoreProviders onTheClassPath() {
        return new StoreProviders(NamedServices.all(KIND, SEARCH, ObjectStoreProvider::name));
    }

    /**
     * The provider of this name.
     *
     * @throws IllegalArgumentException there is none, or there are two
     */
    static ObjectStoreProvider named(String name) {
        NamedServices<ObjectStoreProvider> services = NamedServices.upTo(name, KIND, SEARCH, ObjectStoreProvider::name);
        Optional<String> twins = services.twins(name);
        if (twins.isPresent()) {
            throw new IllegalArgumentException(StoreOption.STORE.key() + "='" + Printable.of(name)
                    + "' is the name of two stores on the class path, " + twins.get()
                    + ": which one has written a log is not known; remove one of them");
        }
        Optional<ObjectStoreProvider> provider = services.named(name);
        if (provider.isEmpty()) {
            IllegalArgumentException missing = new IllegalArgumentException(message(name, services));
            services.unusable().forEach(missing::addSuppressed);
            throw missing;
        }
        return provider.get();
    }

    /** By their names. */
    Map<String, ObjectStoreProvider> all() {
        return services.byName();
    }

    /** What keeps others from being used, one text each. */
    List<String> unusable() {
        return services.unusableTexts();
    }

    private static String message(String name, NamedServices<ObjectStoreProvider> services) {
        List<String> names = List.copyOf(services.byName().keySet());
        String there =
                names.isEmpty() ? "no store is on the class path" : "on the class path: " + String.join(", ", names);
        String remedy = StoreOption.OWN_STORES.contains(name)
                ? "add the artifact tallystick-store-" + name.toLowerCase(Locale.ROOT)
                : "did you mean '" + NearestName.of(name, names.isEmpty() ? StoreOption.OWN_STORES : names) + "'?";
        List<String> unusable = services.unusableTexts();
        if (!unusable.isEmpty()) {
            there += "; not usable: " + unusable.get(0);
            remedy += ", or add the classes that the unusable store lacks to the class path";
        }
        return StoreOption.STORE.key() + "='" + Printable.of(name) + "' is not there (" + there + "); " + remedy;
    }
}
