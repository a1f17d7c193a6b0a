package io.tallystick.spring.boot;

import io.tallystick.narayana.ReaperSettings;
import io.tallystick.store.StoreOption;
import io.tallystick.store.settings.ServiceVariables;
import io.tallystick.store.text.NearestName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds properties below {@code tallystick} that nobody reads. Spring Boot itself ignores them, and a log that is not
 * where its operator believes it to be is worse than a start that fails.
 */
final class UnknownProperties {
    private static final String PREFIX = "tallystick";
    private static final String VARIABLE_PREFIX = "TALLYSTICK_";

    // Left alone whatever their values are: of a service called tallystick, and of the benchmarks.
    private static final List<String> FOREIGN_VARIABLES =
            List.of("TALLYSTICK_PORT", "TALLYSTICK_SERVICE_", "TALLYSTICK_BENCH_");
    private static final String FOREIGN_PROPERTIES = "tallystick.bench.";

    private static final List<String> OWN = List.of(
            "tallystick.enabled",
            "tallystick.configuration-file",
            "tallystick.name-resources",
            "tallystick.drain.on-shutdown",
            "tallystick.drain.timeout",
            "tallystick.reaper.enabled");

    private UnknownProperties() {}

    /** The names of all properties of this starter. */
    static Collection<String> known() {
        List<String> known = new ArrayList<>(OWN);
        StoreOption.all().forEach(option -> known.add(option.key()));
        ReaperSettings.all().forEach(setting -> known.add(setting.name()));
        return known;
    }

    /**
     * Checks that each property below {@code tallystick} is known.
     *
     * @throws StartRefusedException a property is unknown, naming its place and the nearest valid name
     */
    static void check(ConfigurableEnvironment environment) {
        Set<String> problems = new TreeSet<>();
        Collection<String> known = known(); // once: it asks the class path
        Set<String> variables = variables(known);
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable) {
                boolean isVariables = isOfVariables(source);
                for (String name : enumerable.getPropertyNames()) {
                    boolean isUnknown = isVariables
                            ? isUnknownVariable(name, variables) && !isOfService(name, enumerable)
                            : isUnknownProperty(name, known);
                    if (isUnknown) {
                        problems.add("unknown " + (isVariables ? "environment variable '" : "property '") + name
                                + "' in " + source.getName() + "; did you mean '"
                                + NearestName.of(name, isVariables ? variables : known) + "'?"
                                + StoreOption.family().troubles());
                    }
                }
            }
        }
        if (!problems.isEmpty()) {
            String found = String.join(System.lineSeparator(), problems);
            throw Refusals.badProperty(found, new IllegalArgumentException(found));
        }
    }

    /** The variables that Kubernetes makes for services, and that begin like those of this starter. */
    static Map<String, String> ofServices(ConfigurableEnvironment environment) {
        Map<String, String> found = new TreeMap<>();
        Set<String> variables = variables(known());
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable && isOfVariables(source)) {
                for (String name : enumerable.getPropertyNames()) {
                    if (isUnknownVariable(name, variables) && isOfService(name, enumerable)) {
                        found.put(name, String.valueOf(enumerable.getProperty(name)));
                    }
                }
            }
        }
        return found;
    }

    /** The texts of the options of stores and engines of other libraries, which have no property of this starter. */
    static Map<String, String> ofOtherStores(ConfigurableEnvironment environment) {
        Map<String, String> given = new TreeMap<>();
        Binder binder = Binder.get(environment);
        for (StoreOption<?> option : StoreOption.ofOthers()) {
            binder.bind(option.key(), String.class).ifBound(text -> given.put(option.key(), text));
        }
        return given;
    }

    private static boolean isOfVariables(PropertySource<?> source) {
        return source.getName().endsWith(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    private static boolean isOfService(String name, EnumerablePropertySource<?> variables) {
        return ServiceVariables.isOne(name, String.valueOf(variables.getProperty(name)));
    }

    private static boolean isUnknownProperty(String name, Collection<String> known) {
        ConfigurationPropertyName given = ConfigurationPropertyName.adapt(name, '.');
        return given.getNumberOfElements() > 1
                && given.getElement(0, ConfigurationPropertyName.Form.UNIFORM).equals(PREFIX)
                && !name.startsWith(FOREIGN_PROPERTIES)
                && known.stream().map(ConfigurationPropertyName::of).noneMatch(given::equals);
    }

    private static boolean isUnknownVariable(String name, Set<String> variables) {
        return name.startsWith(VARIABLE_PREFIX)
                && FOREIGN_VARIABLES.stream().noneMatch(name::startsWith)
                && !variables.contains(name);
    }

    private static Set<String> variables(Collection<String> known) {
        return known.stream().flatMap(UnknownProperties::variables).collect(Collectors.toSet());
    }

    // Both forms that Spring Boot reads: without the dashes, and with an underscore in the place of each.
    private static Stream<String> variables(String name) {
        return Stream.of(name.replace("-", ""), name.replace('-', '_'))
                .map(variable -> variable.replace('.', '_').toUpperCase(Locale.ROOT));
    }
}
