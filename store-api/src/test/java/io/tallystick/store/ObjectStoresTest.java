package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.spi.HidingClassLoader;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectStoresTest {
    @Test
    void storeOfTheConfiguredNameIsOpened() {
        ObjectStore store = ObjectStores.open(configuration(UnknownOutcomeProvider.NAME));

        assertThat(store.description().store()).isEqualTo(UnknownOutcomeProvider.NAME);
        assertThat(store).isNotInstanceOf(HaltingStore.class);
    }

    @Test
    void ownStoreThatIsNotThereIsMissingAnArtifact() {
        for (String name : List.of("inmemory", "file", "journal")) {
            assertThatThrownBy(() -> ObjectStores.open(configuration(name)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("tallystick.store='" + name + "' is not there (on the class path: unknown-outcome);"
                            + " add the artifact tallystick-store-" + name);
        }
    }

    @Test
    void unknownStoreIsAnErrorThatNamesTheNearest() {
        assertThatThrownBy(() -> ObjectStores.open(configuration("unknown-outcomes")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.store='unknown-outcomes' is not there")
                .hasMessageContaining("did you mean 'unknown-outcome'?");
    }

    @Test
    void providersAreFoundWhateverTheContextClassLoaderIs() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            for (ClassLoader loader : new ClassLoader[] {null, ClassLoader.getPlatformClassLoader()}) {
                thread.setContextClassLoader(loader);
                assertThat(ObjectStores.open(configuration(UnknownOutcomeProvider.NAME)))
                        .isNotNull();
            }
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void anotherCopyOfTheLibraryInTheContextClassLoaderIsNoObstacle() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (HidingClassLoader anotherCopy = new HidingClassLoader()) {
            thread.setContextClassLoader(anotherCopy);

            assertThat(ObjectStores.open(configuration(UnknownOutcomeProvider.NAME)))
                    .isNotNull();
            assertThatThrownBy(() -> ObjectStores.open(configuration("file")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("tallystick.store='file' is not there")
                    .hasMessageContaining("not a subtype");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void aStoreOpensBesideAnotherOneWhoseClassesAreMissing(@TempDir Path directory) throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(ObjectStoreProvider.class.getName()), "no.such.Provider");
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader broken =
                new URLClassLoader(new URL[] {directory.toUri().toURL()}, before)) {
            thread.setContextClassLoader(broken);

            assertThat(ObjectStores.open(configuration(UnknownOutcomeProvider.NAME)))
                    .isNotNull();
            assertThatThrownBy(() -> ObjectStores.open(configuration("file")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("on the class path: unknown-outcome; not usable: ")
                    .hasMessageContaining("no.such.Provider")
                    .hasMessageContaining("add the artifact tallystick-store-file");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void unknownOutcomeIsThrownUnlessTheProcessShallEnd() {
        ObjectStore store = ObjectStores.open(configuration(UnknownOutcomeProvider.NAME));

        assertThatThrownBy(store::force).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aClassLoaderThatHidesManagementOpensAStoreAndRefusesJmxByItsKey() throws Exception {
        try (HidingClassLoader loader = new HidingClassLoader("javax.management.", "java.lang.management.")) {
            Class<?> opens = loader.loadClass(Opens.class.getName());

            assertThat(opens.getMethod("open", String.class).invoke(null, "false"))
                    .isEqualTo(UnknownOutcomeProvider.NAME);
            assertThat((String) opens.getMethod("open", String.class).invoke(null, "true"))
                    .contains("IllegalArgumentException")
                    .contains("tallystick.jmx=true")
                    .contains("java.management");
        }
    }

    /** Opens a store and tells which, or why not. */
    public static final class Opens {
        private Opens() {}

        public static String open(String jmx) {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(Opens.class.getClassLoader());
            try {
                return ObjectStores.open(StoreConfiguration.builder()
                                .store(UnknownOutcomeProvider.NAME)
                                .set(StoreOption.JMX.key(), jmx)
                                .build())
                        .description()
                        .store();
            } catch (IllegalArgumentException refused) {
                return refused.toString();
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }

    private static StoreConfiguration configuration(String name) {
        return StoreConfiguration.builder().store(name).build();
    }
}
