package io.tallystick.quarkus;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.text.NearestName;
import io.tallystick.store.text.Printable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.eclipse.microprofile.config.Config;

/** From the configuration of Quarkus to the configuration of a store. */
final class StoreSettings {
    /** Where the keys of this extension begin. */
    static final String PREFIX_NAME = "quarkus.tallystick";

    /** The directory of a test's store. */
    static final Path TEST_DIRECTORY = Path.of("target", "tallystick-test");

    private static final long TEST_SEGMENT_BYTES = 4 * StoreOption.MIB;
    private static final String QUARKUS = "quarkus.";
    private static final String PREFIX = PREFIX_NAME + ".";
    // Keys of the build, which an application that runs may carry along.
    private static final List<String> BUILD_KEYS = List.of(PREFIX + "health.enabled", PREFIX + "metrics.enabled");

    private StoreSettings() {}

    /**
     * Reads the keys {@code quarkus.tallystick.*}. A key that is not there is looked for without {@code quarkus.} in
     * the system properties, in the environment, and in the file that one of them names. So an application that named
     * its store there keeps it.
     *
     * @throws IllegalArgumentException an unknown key, naming the nearest one; a bad value; or a value here and another
     *     one there
     */
    static StoreConfiguration of(Config quarkus) {
        checkKeys(quarkus);
        StoreConfiguration outside =
                StoreConfiguration.builder().withEnvironment().build();
        StoreConfiguration.Builder both = outside.toBuilder();
        StoreOption.all().forEach(option -> take(option, quarkus, outside, both));
        return both.build();
    }

    /**
     * As {@link #of}, for a test. A store in files that has no directory gets one of its own and small files, so that
     * the development mode or the application may run beside the test.
     */
    static StoreConfiguration ofTest(Config quarkus) {
        StoreConfiguration given = of(quarkus);
        StoreConfiguration.Builder test = given.toBuilder();
        String store = given.get(StoreOption.STORE);
        if (!given.isSet(StoreOption.DIRECTORY) && (store.equals("journal") || store.equals("file"))) {
            test.set(StoreOption.DIRECTORY, TEST_DIRECTORY);
            if (!given.isSet(StoreOption.JOURNAL_SEGMENT_SIZE)) {
                test.set(StoreOption.JOURNAL_SEGMENT_SIZE, TEST_SEGMENT_BYTES);
            }
        }
        return test.build();
    }

    private static <T> void take(
            StoreOption<T> option, Config quarkus, StoreConfiguration outside, StoreConfiguration.Builder both) {
        String key = QUARKUS + option.key();
        Optional<String> text = quarkus.getOptionalValue(key, String.class);
        if (text.isEmpty()) {
            return;
        }
        T value = parsed(option, key, text.get());
        if (outside.isSet(option) && !outside.get(option).equals(value)) {
            throw new IllegalArgumentException(
                    key + "=" + Printable.of(option.shown(text.get())) + ", but " + option.key() + "="
                            + Printable.of(option.shown(outside.get(option)))
                            + " is a system property, an environment variable ("
                            + option.environmentName() + ") or in the file that tallystick.configuration-file names;"
                            + " remove the one that is wrong");
        }
        both.set(option, value);
    }

    private static <T> T parsed(StoreOption<T> option, String key, String text) {
        try {
            return option.parse(text);
        } catch (IllegalArgumentException bad) {
            throw new IllegalArgumentException(key + ": " + bad.getMessage(), bad);
        }
    }

    private static void checkKeys(Config quarkus) {
        List<String> known = new ArrayList<>(BUILD_KEYS);
        StoreOption.all().forEach(option -> known.add(QUARKUS + option.key()));
        TreeSet<String> given = new TreeSet<>();
        quarkus.getPropertyNames().forEach(given::add);
        for (String key : given) {
            if (key.startsWith(PREFIX) && !known.contains(key) && !isOfVariable(key, known)) {
                throw new IllegalArgumentException("unknown key '" + Printable.of(key)
                        + "' in the configuration of Quarkus; did you mean '" + NearestName.of(key, known) + "'?"
                        + StoreOption.family().troubles());
            }
        }
    }

    // An environment variable has no dashes: SmallRye gives a name with dots for each that no mapping has.
    private static boolean isOfVariable(String key, List<String> known) {
        return known.stream().anyMatch(name -> name.replace('-', '.').equals(key));
    }
}
