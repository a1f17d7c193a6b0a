package io.tallystick.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.ValueReaders;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An option of another library's store is a key of Quarkus. */
class OptionsOfOthersTest {
    private static final StoreOption<Integer> SLOTS = StoreOption.of(Setting.of(
            "tallystick.ring.max-slots", ValueReaders.integer(1, 64), Optional.of("8"), "how many slots, 1 to 64"));

    @TempDir
    Path services;

    /** Another library's store. */
    public static final class Ring implements ObjectStoreProvider {
        @Override
        public String name() {
            return "ring";
        }

        @Override
        public List<StoreOption<?>> options() {
            return List.of(SLOTS);
        }

        @Override
        public ObjectStore open(StoreConfiguration configuration) {
            throw new UnsupportedOperationException();
        }
    }

    private void withRing(Runnable action) throws IOException {
        Path names = services.resolve("META-INF/services/" + ObjectStoreProvider.class.getName());
        Files.createDirectories(names.getParent());
        Files.writeString(names, Ring.class.getName());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {services.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);
            action.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void aKeyOfQuarkusReachesTheStore() throws Exception {
        withRing(() -> assertThat(StoreSettings.of(config("quarkus.tallystick.ring.max-slots"))
                        .get(SLOTS))
                .isEqualTo(3));
    }

    @Test
    void aKeyOfAStoreThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> StoreSettings.of(config("quarkus.tallystick.ring.max-slots")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown key 'quarkus.tallystick.ring.max-slots'");
    }

    @Test
    void aVariableOfTheEnvironmentReachesTheStoreThoughItHasNoDash() throws Exception {
        Config variables = new SmallRyeConfigBuilder()
                .withSources(new EnvConfigSource(Map.of("QUARKUS_TALLYSTICK_RING_MAX_SLOTS", "5"), 300))
                .build();

        withRing(() -> assertThat(StoreSettings.of(variables).get(SLOTS)).isEqualTo(5));
    }

    private static Config config(String key) {
        return new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(Map.of(key, "3"), "test", 100))
                .build();
    }
}
