package io.tallystick.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
import java.util.Map;
import org.eclipse.microprofile.config.Config;
import org.junit.jupiter.api.Test;

/** From keys of Quarkus to a configuration, with the system properties of the library beside them. */
class StoreSettingsTest {
    @Test
    void aKeyIsReadByItsNameWithQuarkusBeforeIt() {
        StoreConfiguration configuration = read(
                Map.of("quarkus.tallystick.directory", "/var/tx", "quarkus.tallystick.journal.segment-size", "8MiB"));

        assertThat(configuration.get(StoreOption.DIRECTORY)).isEqualTo(Path.of("/var/tx"));
        assertThat(configuration.get(StoreOption.JOURNAL_SEGMENT_SIZE)).isEqualTo(8 * StoreOption.MIB);
        assertThat(configuration.isSet(StoreOption.JOURNAL_SEGMENTS)).isFalse();
    }

    @Test
    void aSystemPropertyIsTakenWhereQuarkusHasNoValue() {
        withProperty("tallystick.directory", "/var/old", () -> {
            assertThat(read(Map.of()).get(StoreOption.DIRECTORY)).isEqualTo(Path.of("/var/old"));
        });
    }

    @Test
    void aSystemPropertyWithAnotherValueIsRefused() {
        withProperty("tallystick.directory", "/var/old", () -> {
            assertThatThrownBy(() -> read(Map.of("quarkus.tallystick.directory", "/var/new")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("quarkus.tallystick.directory=/var/new, but tallystick.directory=/var/old")
                    .hasMessageContaining("TALLYSTICK_DIRECTORY");
            assertThat(read(Map.of("quarkus.tallystick.directory", "/var/old")).get(StoreOption.DIRECTORY))
                    .isEqualTo(Path.of("/var/old"));
        });
    }

    @Test
    void anUnknownKeyIsRefusedWithTheNearestOne() {
        assertThatThrownBy(() -> read(Map.of("quarkus.tallystick.direcory", "/var/tx")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown key 'quarkus.tallystick.direcory'")
                .hasMessageContaining("did you mean 'quarkus.tallystick.directory'?");
    }

    @Test
    void aKeyOfTheBuildIsKnown() {
        assertThat(read(Map.of(
                        "quarkus.tallystick.health.enabled", "false", "quarkus.tallystick.metrics.enabled", "true")))
                .isNotNull();
    }

    @Test
    void aBadValueIsRefusedWithTheKeyOfQuarkusAndTheValuesThatItTakes() {
        assertThatThrownBy(() -> read(Map.of("quarkus.tallystick.journal.io", "drect")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("quarkus.tallystick.journal.io")
                .hasMessageContaining("direct");
    }

    @Test
    void aTestWithoutADirectoryGetsOneOfItsOwnAndSmallFiles() {
        StoreConfiguration configuration = StoreSettings.ofTest(config(Map.of()));

        assertThat(configuration.get(StoreOption.DIRECTORY)).isEqualTo(Path.of("target", "tallystick-test"));
        assertThat(configuration.get(StoreOption.JOURNAL_SEGMENT_SIZE)).isEqualTo(4 * StoreOption.MIB);
        assertThat(read(Map.of()).isSet(StoreOption.DIRECTORY)).isFalse();
    }

    @Test
    void aTestKeepsTheDirectoryThatItIsGiven() {
        StoreConfiguration given = StoreSettings.ofTest(config(Map.of("quarkus.tallystick.directory", "/var/tx")));
        assertThat(given.get(StoreOption.DIRECTORY)).isEqualTo(Path.of("/var/tx"));
        assertThat(given.isSet(StoreOption.JOURNAL_SEGMENT_SIZE)).isFalse();
        withProperty("tallystick.directory", "/var/old", () -> {
            assertThat(StoreSettings.ofTest(config(Map.of())).get(StoreOption.DIRECTORY))
                    .isEqualTo(Path.of("/var/old"));
        });
        assertThat(StoreSettings.ofTest(config(Map.of("quarkus.tallystick.store", "inmemory")))
                        .isSet(StoreOption.DIRECTORY))
                .isFalse();
    }

    private static StoreConfiguration read(Map<String, String> keys) {
        return StoreSettings.of(config(keys));
    }

    private static Config config(Map<String, String> keys) {
        return new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(keys, "application.properties", 100))
                .build();
    }

    private static void withProperty(String key, String value, Runnable test) {
        System.setProperty(key, value);
        try {
            test.run();
        } finally {
            System.clearProperty(key);
        }
    }
}
