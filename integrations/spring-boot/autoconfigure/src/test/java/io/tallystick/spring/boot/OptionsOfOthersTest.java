package io.tallystick.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** An option of another library's store is a property, in each form that Spring Boot reads. */
class OptionsOfOthersTest {
    private static final StoreOption<Integer> SLOTS = StoreOption.of(Setting.of(
            "tallystick.ring.slots", ValueReaders.integer(1, 64), Optional.of("8"), "how many slots, 1 to 64"));

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
    void aPropertyOrAVariableReachesTheStore() throws Exception {
        withRing(() -> {
            assertThat(slotsIn(with(new MapPropertySource("test", Map.of("tallystick.ring.slots", "3")))))
                    .isEqualTo(3);
            assertThat(slotsIn(with(new SystemEnvironmentPropertySource(
                            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                            Map.of("TALLYSTICK_RING_SLOTS", "5")))))
                    .isEqualTo(5);
        });
    }

    @Test
    void aPropertyOfAStoreThatIsNotThereIsRefused() {
        ConfigurableEnvironment environment = with(new MapPropertySource("test", Map.of("tallystick.ring.slots", "3")));

        assertThatThrownBy(() -> UnknownProperties.check(environment))
                .isInstanceOf(StartRefusedException.class)
                .hasStackTraceContaining("unknown property 'tallystick.ring.slots' in test");
    }

    private static int slotsIn(ConfigurableEnvironment environment) {
        UnknownProperties.check(environment);
        return new Binder(new MapConfigurationPropertySource(Map.of()))
                .bindOrCreate("tallystick", TallystickProperties.class)
                .toConfiguration(Map.of(), UnknownProperties.ofOtherStores(environment))
                .get(SLOTS);
    }

    private static ConfigurableEnvironment with(MapPropertySource source) {
        ConfigurableEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        environment.getPropertySources().addFirst(source);
        return environment;
    }
}
