package io.tallystick.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.tallystick.store.StoreOption;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The keys that Quarkus knows are the keys of the library, with their defaults. */
class TallystickConfigTest {
    // Where the default is none of the library's, but comes from another key of Quarkus.
    private static final Map<String, String> FROM_QUARKUS = Map.of(
            "quarkus.tallystick.directory", "quarkus.transaction-manager.object-store.directory",
            "quarkus.tallystick.node-id", "quarkus.transaction-manager.node-name");

    @Test
    void everyOptionHasAKey() {
        assertThat(documented().keySet())
                .containsExactlyInAnyOrderElementsOf(StoreOption.all().stream()
                        .map(option -> "quarkus." + option.key())
                        .toList());
    }

    @Test
    void everyKeyHasTheDefaultOfItsOption() {
        Map<String, String> documented = documented();
        for (StoreOption<?> option : StoreOption.all()) {
            String key = "quarkus." + option.key();
            if (option.defaultValue().isPresent()) {
                assertThat(option.parse(documented.get(key)))
                        .as(key)
                        .isEqualTo(option.defaultValue().get());
            } else {
                assertThat(documented.get(key)).as(key).contains(FROM_QUARKUS.getOrDefault(key, ""));
            }
        }
    }

    private static Map<String, String> documented() {
        Map<String, String> defaults = new TreeMap<>();
        collect(TallystickConfig.class, "quarkus.tallystick.", defaults);
        return defaults;
    }

    private static void collect(Class<?> group, String prefix, Map<String, String> defaults) {
        for (Method method : group.getDeclaredMethods()) {
            String key = prefix + method.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (method.getReturnType() == Optional.class) {
                defaults.put(
                        key,
                        Optional.ofNullable(method.getAnnotation(ConfigDocDefault.class))
                                .map(ConfigDocDefault::value)
                                .orElse(""));
            } else {
                collect(method.getReturnType(), key + ".", defaults);
            }
        }
    }
}
