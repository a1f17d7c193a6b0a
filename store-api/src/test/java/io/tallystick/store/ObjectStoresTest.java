package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

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
    void unknownOutcomeIsThrownUnlessTheProcessShallEnd() {
        ObjectStore store = ObjectStores.open(configuration(UnknownOutcomeProvider.NAME));

        assertThatThrownBy(store::force).isInstanceOf(OutcomeUnknownException.class);
    }

    private static StoreConfiguration configuration(String name) {
        return StoreConfiguration.builder().store(name).build();
    }
}
