package io.tallystick.store;

import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.SettingFamily;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options that the providers on the class path declare. They are asked anew each time, and nothing is kept. */
final class ProvidedOptions {
    // By their variables: two keys may have one.
    private final Map<String, StoreOption<?>> options = new LinkedHashMap<>();
    private final Map<String, String> owners = new LinkedHashMap<>();
    private final List<String> troubles = new ArrayList<>();
    private final StoreProviders providers = StoreProviders.onTheClassPath();

    private ProvidedOptions() {}

    /** Asks the providers. One that cannot answer keeps no other one from being asked. */
    static ProvidedOptions onTheClassPath() {
        ProvidedOptions provided = new ProvidedOptions();
        provided.providers
                .all()
                .forEach((name, provider) -> provided.ask(
                        provider, () -> provider.options().forEach(option -> provided.add(option, ownerOf(provider)))));
        return provided;
    }

    private void ask(ObjectStoreProvider provider, Runnable question) {
        try {
            question.run();
        } catch (RuntimeException | LinkageError broken) {
            troubles.add("the options of the store " + ownerOf(provider) + " are not known: " + broken);
        }
    }

    private static String ownerOf(ObjectStoreProvider provider) {
        return provider.name() + " (" + provider.getClass().getName() + ")";
    }

    private void add(StoreOption<?> option, String owner) {
        String first = owners.putIfAbsent(option.environmentName(), owner);
        StoreOption<?> there = options.get(option.environmentName());
        if (first == null) {
            options.put(option.environmentName(), option);
        } else if (there != option) {
            // A value would reach one of them alone, and the other would silently take its default.
            options.remove(option.environmentName());
            troubles.add(option.key() + (there == null || there.key().equals(option.key()) ? "" : " or " + there.key())
                    + " is declared twice, by the store " + first
                    + (first.equals(owner) ? " itself, as for two of its engines" : " and by the store " + owner)
                    + ", and can be given to neither");
        }
    }

    List<StoreOption<?>> options() {
        return List.copyOf(options.values());
    }

    /** The settings, and what kept others from telling theirs: only who reports an unknown key asks for that. */
    SettingFamily.Joined joined() {
        List<Setting<?>> settings = new ArrayList<>();
        options.values().forEach(option -> settings.add(option.setting()));
        providers.all().forEach((name, provider) -> ask(provider, () -> troubles.addAll(provider.optionTroubles())));
        providers.unusable().forEach(why -> troubles.add("a store is not usable: " + why));
        return new SettingFamily.Joined(settings, troubles);
    }
}
