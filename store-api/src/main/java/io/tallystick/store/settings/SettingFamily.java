package io.tallystick.store.settings;

import io.tallystick.store.text.NearestName;
import io.tallystick.store.text.Printable;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * All settings whose names begin alike, the names that are retired, and the names that are left to other readers. A
 * name that begins so, and is none of these, is an error.
 */
public final class SettingFamily {
    /** The key, system property only or {@code TALLYSTICK_CONFIGURATION_FILE}, that names a properties file. */
    public static final String CONFIGURATION_FILE_KEY = "tallystick.configuration-file";

    private static final UnaryOperator<String> AS_KEY = name -> name;

    private final String prefix;
    private final List<Setting<?>> settings;
    private final List<String> retired;
    private final List<String> foreignKeys;
    private final List<String> foreignVariables;
    private final boolean ownsFile;

    private SettingFamily(
            String prefix,
            List<Setting<?>> settings,
            List<String> retired,
            List<String> foreignKeys,
            List<String> foreignVariables,
            boolean ownsFile) {
        this.prefix = prefix;
        this.settings = List.copyOf(settings);
        this.retired = List.copyOf(retired);
        this.foreignKeys = List.copyOf(foreignKeys);
        this.foreignVariables = List.copyOf(foreignVariables);
        this.ownsFile = ownsFile;
    }

    /** A family without retired names, which shares the properties file with others. */
    public static SettingFamily of(String prefix, List<Setting<?>> settings) {
        return new SettingFamily(prefix, settings, List.of(), List.of(), List.of(), false);
    }

    /** The same family, in which these names of earlier versions have no effect, and are no error. */
    public SettingFamily retiring(List<String> names) {
        return new SettingFamily(prefix, settings, names, foreignKeys, foreignVariables, ownsFile);
    }

    /** The same family, which leaves to others the keys and the variables that begin with one of these. */
    public SettingFamily leaving(List<String> keys, List<String> variables) {
        return new SettingFamily(prefix, settings, retired, keys, variables, ownsFile);
    }

    /** The same family, which checks each key of the properties file, except keys that it leaves to others. */
    public SettingFamily owningTheFile() {
        return new SettingFamily(prefix, settings, retired, foreignKeys, foreignVariables, true);
    }

    /** The settings, in the order of the documentation. */
    public List<Setting<?>> settings() {
        return settings;
    }

    /** Names of earlier versions that have no effect. */
    public List<String> retired() {
        return retired;
    }

    /**
     * Checks that each of these keys is known, retired, or left to others.
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
        return settingOf(variable, Setting::variableOf).isPresent() || isAmong(retired, Setting::variableOf, variable);
    }

    /** The setting of this key; empty for a retired one. */
    Optional<Setting<?>> findKey(String key, String place) {
        return find(key, AS_KEY, "unknown key '" + Printable.of(key) + "' in " + place);
    }

    /** The setting of this environment variable; empty for a retired one. */
    Optional<Setting<?>> findVariable(String variable) {
        return find(variable, Setting::variableOf, "unknown environment variable '" + Printable.of(variable) + "'");
    }

    private Optional<Setting<?>> find(String given, UnaryOperator<String> naming, String complaint) {
        Optional<Setting<?>> found = settingOf(given, naming);
        if (found.isPresent() || isAmong(retired, naming, given)) {
            return found;
        }
        List<String> names = settings.stream().map(Setting::name).map(naming).toList();
        throw new IllegalArgumentException(complaint + "; did you mean '" + NearestName.of(given, names) + "'?");
    }

    /** The setting with this name, its present one or a former one. */
    private Optional<Setting<?>> settingOf(String given, UnaryOperator<String> naming) {
        for (Setting<?> setting : settings) {
            if (naming.apply(setting.name()).equals(given) || isAmong(setting.formerNames(), naming, given)) {
                return Optional.of(setting);
            }
        }
        return Optional.empty();
    }

    private static boolean isAmong(List<String> names, UnaryOperator<String> naming, String given) {
        for (String name : names) {
            if (naming.apply(name).equals(given)) {
                return true;
            }
        }
        return false;
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
