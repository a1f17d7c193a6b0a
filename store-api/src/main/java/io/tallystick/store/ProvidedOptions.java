package io.tallystick.store;

import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.SettingFamily;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The options that the providers on the class path declare. They are asked anew each time, and nothing is kept. */
final class ProvidedOptions {
    private final List<StoreOption<?>> options = new ArrayList<>();
    private final List<String> troubles = new ArrayList<>();

    private ProvidedOptions() {}

    /** Asks the providers. One that cannot answer keeps no other one from being asked. */
    static ProvidedOptions onTheClassPath() {
        StoreProviders providers = StoreProviders.onTheClassPath();
        ProvidedOptions provided = new ProvidedOptions();
        Map<String, ObjectStoreProvider> owners = new HashMap<>();
        for (ObjectStoreProvider provider : providers.all()) {
            try {
                provider.options().forEach(option -> provided.add(option, provider, owners));
            } catch (RuntimeException | LinkageError broken) {
                provided.troubles.add("the options of the store " + nameOf(provider) + " are not known: " + broken);
            }
        }
        providers.unusable().forEach(why -> provided.troubles.add("a store is not usable: " + why.getMessage()));
        return provided;
    }

    private void add(StoreOption<?> option, ObjectStoreProvider provider, Map<String, ObjectStoreProvider> owners) {
        ObjectStoreProvider owner = owners.putIfAbsent(option.key(), provider);
        if (owner == null) {
            options.add(option);
        } else {
            // A value would reach one of them alone, and the other would silently take its default.
            options.removeIf(other -> other.key().equals(option.key()));
            troubles.add(option.key() + " is declared by two stores, " + nameOf(owner) + " and " + nameOf(provider)
                    + ", and can be given to neither");
        }
    }

    private static String nameOf(ObjectStoreProvider provider) {
        return provider.name() + " (" + provider.getClass().getName() + ")";
    }

    List<StoreOption<?>> options() {
        return options;
    }

    SettingFamily.Joined joined() {
        List<Setting<?>> settings = new ArrayList<>();
        options.forEach(option -> settings.add(option.setting()));
        return new SettingFamily.Joined(settings, troubles);
    }
}
