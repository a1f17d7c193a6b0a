package io.tallystick.store.settings;

import io.tallystick.store.text.NearestName;
import io.tallystick.store.text.Printable;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All settings whose names begin alike, those of others that have joined them, and the names that are left to other
 * readers. A name that begins so, and is none of these, is an error.
 */
public final class SettingFamily {
    /** The key, system property only or {@code TALLYSTICK_CONFIGURATION_FILE}, that names a properties file. */
    public static final String CONFIGURATION_FILE_KEY = "tallystick.configuration-file";

    private static final UnaryOperator<String> AS_KEY = name -> name;

    private final String prefix;
    private final List<Setting<?>> settings;
    private final List<String> foreignKeys;
    private final List<String> foreignVariables;
    private final boolean ownsFile;
    private final Supplier<Joined> joining;

    private SettingFamily(
            String prefix,
            List<Setting<?>> settings,
            List<String> foreignKeys,
            List<String> foreignVariables,
            boolean ownsFile,
            Supplier<Joined> joining) {
        this.prefix = prefix;
        this.settings = List.copyOf(settings);
        this.joining = joining;
        this.foreignKeys = List.copyOf(foreignKeys);
        this.foreignVariables = List.copyOf(foreignVariables);
        this.ownsFile = ownsFile;
    }

    /** A family that shares the properties file with others. */
    public static SettingFamily of(String prefix, List<Setting<?>> settings) {
        return new SettingFamily(prefix, settings, List.of(), List.of(), false, () -> Joined.NONE);
    }

    /** The same family, which leaves to others the keys and the variables that begin with one of these. */
    public SettingFamily leaving(List<String> keys, List<String> variables) {
        return new SettingFamily(prefix, settings, keys, variables, ownsFile, joining);
    }

    /** The same family, which checks each key of the properties file, except keys that it leaves to others. */
    public SettingFamily owningTheFile() {
        return new SettingFamily(prefix, settings, foreignKeys, foreignVariables, true, joining);
    }

    /**
     * The same family, which others may join. They are asked each time, and only for a name that is not known without
     * them: what can be asked depends on the caller's class loader, and costs time.
     */
    public SettingFamily joinedBy(Supplier<Joined> others) {
        return new SettingFamily(prefix, settings, foreignKeys, foreignVariables, ownsFile, others);
    }

    /**
     * The settings of others.
     *
     * @param settings with names that the family's own do not have
     * @param troubles what kept others from telling theirs, for the error of a name that is not known; each names who
     *     and why
     */
    public record Joined(List<Setting<?>> settings, List<String> troubles) {
        private static final Joined NONE = new Joined(List.of(), List.of());

        /** The parts are copied. */
        public Joined {
            settings = List.copyOf(settings);
            troubles = List.copyOf(troubles);
        }
    }

    /** The settings, in the order of the documentation; those of others come last. */
    public List<Setting<?>> settings() {
        return Stream.concat(settings.stream(), joining.get().settings().stream())
                .toList();
    }

    /** What keeps others from telling theirs, as an error of an unknown name has it; empty if there is nothing. */
    public String troubles() {
        return textOf(joining.get().troubles());
    }

    private static String textOf(List<String> troubles) {
        return troubles.stream().map(why -> "; " + why).collect(Collectors.joining());
    }

    /**
     * Checks that each of these keys is known, or left to others.
     *
     * @param place the place of the keys, in the words of the error
     * @throws IllegalArgumentException a key is unknown, naming the nearest one
     */
    public void checkKeys(Iterable<String> keys, String place) {
        for (String key : keys) {
            if (ownsKey(key)) {
                findKey(key, place);
            }
        }
    }

    boolean ownsKey(String key) {
        return key.startsWith(prefix) && !isForeign(key) && !key.equals(CONFIGURATION_FILE_KEY);
    }

    boolean ownsKeyOfFile(String key) {
        return ownsFile ? !isForeign(key) : ownsKey(key);
    }

    boolean ownsVariable(String variable) {
        return variable.startsWith(Setting.variableOf(prefix))
                && !beginsWithOneOf(foreignVariables, variable)
                && !variable.equals(Setting.variableOf(CONFIGURATION_FILE_KEY));
    }

    boolean knowsVariable(String variable) {
        return settingOf(variable, settings, Setting::variableOf).isPresent()
                || settingOf(variable, joining.get().settings(), Setting::variableOf)
                        .isPresent();
    }

    /** The setting of this key. */
    Setting<?> findKey(String key, String place) {
        return find(key, AS_KEY, "unknown key '" + Printable.of(key) + "' in " + place);
    }

    /** The setting of this environment variable. */
    Setting<?> findVariable(String variable) {
        return find(variable, Setting::variableOf, "unknown environment variable '" + Printable.of(variable) + "'");
    }

    private Setting<?> find(String given, UnaryOperator<String> naming, String complaint) {
        Optional<Setting<?>> own = settingOf(given, settings, naming);
        if (own.isPresent()) {
            return own.get();
        }
        Joined others = joining.get();
        return settingOf(given, others.settings(), naming)
                .orElseThrow(() -> new IllegalArgumentException(complaint + "; did you mean '"
                        + NearestName.of(
                                given,
                                Stream.concat(settings.stream(), others.settings().stream())
                                        .map(Setting::name)
                                        .map(naming)
                                        .toList())
                        + "'?" + textOf(others.troubles())));
    }

    /** The setting with this name. */
    private static Optional<Setting<?>> settingOf(String given, List<Setting<?>> among, UnaryOperator<String> naming) {
        for (Setting<?> setting : among) {
            if (naming.apply(setting.name()).equals(given)) {
                return Optional.of(setting);
            }
        }
        return Optional.empty();
    }

    private boolean isForeign(String key) {
        return beginsWithOneOf(foreignKeys, key);
    }

    private static boolean beginsWithOneOf(List<String> prefixes, String name) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
