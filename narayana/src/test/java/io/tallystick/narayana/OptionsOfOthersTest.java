package io.tallystick.narayana;

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
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An option of another library's store reaches it through Narayana's settings. */
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
    void theBeanTakesItByItsKey() throws Exception {
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        bean.setOption("tallystick.ring.slots", "3");
        bean.setStore("file");
        bean.setOption("tallystick.store", "ring");

        withRing(() -> {
            StoreConfiguration.Builder builder = StoreConfiguration.builder();
            bean.applyTo(builder);
            assertThat(builder.build().get(SLOTS)).isEqualTo(3);
            assertThat(builder.build().get(StoreOption.STORE)).isEqualTo("ring");
        });
    }

    @Test
    void theBeanRefusesAKeyThatNobodyHas() {
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        bean.setOption("tallystick.ring.slots", "3");

        assertThatThrownBy(() -> bean.applyTo(StoreConfiguration.builder()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown key 'tallystick.ring.slots'");
    }

    @Test
    void narayanasPropertiesFileHasItToo() throws Exception {
        Properties file = new Properties();
        file.setProperty("tallystick.ring.slots", "5");

        withRing(() -> {
            StoreConfiguration.Builder builder = StoreConfiguration.builder();
            StoreSettings.takeOptionsOfOthers(file, Set.of("tallystick.ring.slots"), builder);
            assertThat(builder.build().get(SLOTS)).isEqualTo(5);
        });
    }

    @Test
    void rolesThatShareAPlaceMustAgreeOnIt() throws Exception {
        withRing(() -> {
            StoreConfiguration one = StoreConfiguration.builder()
                    .set("tallystick.ring.slots", "5")
                    .build();
            StoreConfiguration other = StoreConfiguration.builder().build();
            assertThat(OpenStores.differences(one, other)).containsExactly("tallystick.ring.slots=5 against 8");
        });
    }
}
