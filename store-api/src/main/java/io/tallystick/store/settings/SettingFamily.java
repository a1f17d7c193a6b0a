package io.tallystick.store.settings;

import io.tallystick.store.text.NearestName;
import io.tallystick.store.text.Printable;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * All settings whose names begin alike, and the names that are left to other readers. A name that begins so, and is
 * none of these, is an error.
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

    private SettingFamily(
            String prefix,
            List<Setting<?>> settings,
            List<String> foreignKeys,
            List<String> foreignVariables,
            boolean ownsFile) {
        this.prefix = prefix;
        this.settings = List.copyOf(settings);
        this.foreignKeys = List.copyOf(foreignKeys);
        this.foreignVariables = List.copyOf(foreignVariables);
        this.ownsFile = ownsFile;
    }

    /** A family that shares the properties file with others. */
    public static SettingFamily of(String prefix, List<Setting<?>> settings) {
        return new SettingFamily(prefix, settings, List.of(), List.of(), false);
    }

    /** The same family, which leaves to others the keys and the variables that begin with one of these. */
    public SettingFamily leaving(List<String> keys, List<String> variables) {
        return new SettingFamily(prefix, settings, keys, variables, ownsFile);
    }

    /** The same family, which checks each key of the properties file, except keys that it leaves to others. */
    public SettingFamily owningTheFile() {
        return new SettingFamily(prefix, settings, foreignKeys, foreignVariables, true);
    }

    /** The settings, in the order of the documentation. */
    public List<Setting<?>> settings() {
        return settings;
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
        return settingOf(variable, Setting::variableOf).isPresent();
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
        Optional<Setting<?>> found = settingOf(given, naming);
        if (found.isPresent()) {
            return found.get();
        }
        List<String> names = settings.stream().map(Setting::name).map(naming).toList();
        throw new IllegalArgumentException(complaint + "; did you mean '" + NearestName.of(given, names) + "'?");
    }

    /** The setting with this name. */
    private Optional<Setting<?>> settingOf(String given, UnaryOperator<String> naming) {
        for (Setting<?> setting : settings) {
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
