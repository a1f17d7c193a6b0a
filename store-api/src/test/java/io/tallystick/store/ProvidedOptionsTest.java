package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.ValueReaders;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options of another library's store: what is on the class path makes what a configuration accepts. */
class ProvidedOptionsTest {
    private static final StoreOption<Integer> SLOTS = StoreOption.of(Setting.of(
            "tallystick.ring.slots", ValueReaders.integer(1, 64), Optional.of("8"), "how many slots, 1 to 64"));
    private static final StoreOption<String> TOKEN =
            StoreOption.of(Setting.of("tallystick.ring.token", ValueReaders.text(), Optional.empty(), "who may enter")
                    .shownAs(token -> "(secret)"));

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @TempDir
    Path services;

    /** A store without a store, for its declarations. */
    abstract static class Declaring implements ObjectStoreProvider {
        @Override
        public String name() {
            return "ring";
        }

        @Override
        public ObjectStore open(StoreConfiguration configuration) {
            throw new IllegalStateException("slots=" + configuration.get(SLOTS));
        }
    }

    public static final class Ring extends Declaring {
        @Override
        public List<StoreOption<?>> options() {
            return List.of(SLOTS, TOKEN);
        }
    }

    public static final class OtherRing extends Declaring {}

    public static final class Grabbing extends Declaring {
        private static final StoreOption<String> ALSO_SLOTS = StoreOption.of(
                Setting.of("tallystick.ring.slots", ValueReaders.text(), Optional.of("none"), "another thing"));

        @Override
        public String name() {
            return "grabbing";
        }

        @Override
        public List<StoreOption<?>> options() {
            return List.of(ALSO_SLOTS);
        }
    }

    public static final class Throwing extends Declaring {
        @Override
        public String name() {
            return "throwing";
        }

        @Override
        public List<StoreOption<?>> options() {
            throw new IllegalStateException("no file with my options");
        }
    }

    public static final class Forgetful extends Declaring {
        @Override
        public String name() {
            return "forgetful";
        }

        @Override
        public List<StoreOption<?>> options() {
            return List.of(anew());
        }

        static StoreOption<Integer> anew() {
            return StoreOption.of(Setting.of(
                    "tallystick.forgetful.size", ValueReaders.integer(1, 64), Optional.of("8"), "a size, 1 to 64"));
        }
    }

    /** Its keys are two, and their variable is one. */
    public static final class Dashed extends Declaring {
        private static final StoreOption<String> DASH =
                StoreOption.of(Setting.of("tallystick.dashed.a-b", ValueReaders.text(), Optional.empty(), "one thing"));
        private static final StoreOption<String> DOT = StoreOption.of(
                Setting.of("tallystick.dashed.a.b", ValueReaders.text(), Optional.empty(), "another thing"));

        @Override
        public String name() {
            return "dashed";
        }

        @Override
        public List<StoreOption<?>> options() {
            return List.of(DASH, DOT);
        }
    }

    public static final class Sharing extends Declaring {
        @Override
        public String name() {
            return "sharing";
        }

        @Override
        public List<StoreOption<?>> options() {
            return List.of(SLOTS);
        }
    }

    public static final class Nameless extends Declaring {
        @Override
        public String name() {
            throw new IllegalStateException("no name");
        }
    }

    @AfterEach
    void useTheContextClassLoaderAsBefore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void eachReaderTakesTheKeyOfAProviderOnTheClassPath() throws Exception {
        install(Ring.class);
        Path file = Files.writeString(services.resolve("store.properties"), "tallystick.ring.slots=4\n");
        Properties properties = new Properties();
        properties.setProperty("tallystick.ring.slots", "6");

        assertThat(StoreConfiguration.builder()
                        .set("tallystick.ring.slots", "3")
                        .build()
                        .get(SLOTS))
                .isEqualTo(3);
        assertThat(StoreConfiguration.builder().withFile(file).build().get(SLOTS))
                .isEqualTo(4);
        assertThat(StoreConfiguration.builder()
                        .withVariables(Map.of("TALLYSTICK_RING_SLOTS", "5"))
                        .build()
                        .get(SLOTS))
                .isEqualTo(5);
        assertThat(StoreConfiguration.builder()
                        .withProperties(properties)
                        .withFile(file)
                        .build()
                        .get(SLOTS))
                .isEqualTo(6);
        assertThat(StoreConfiguration.builder().build().get(SLOTS)).isEqualTo(8);
        assertThat(StoreOption.all())
                .contains(SLOTS, TOKEN)
                .hasSize(StoreOption.own().size() + 2);
        assertThat(StoreOption.named("tallystick.ring.slots")).contains(SLOTS);
    }

    @Test
    void theStoreGetsTheValue() throws Exception {
        install(Ring.class);

        assertThatThrownBy(() -> ObjectStores.open(StoreConfiguration.builder()
                        .store("ring")
                        .set("tallystick.ring.slots", "7")
                        .build()))
                .hasMessage("slots=7");
    }

    @Test
    void aBadValueAndAMisspeltKeyAreRefusedAsThoseOfOwnStores() throws Exception {
        install(Ring.class);

        assertThatThrownBy(() -> StoreConfiguration.builder().set("tallystick.ring.slots", "65"))
                .hasMessage("tallystick.ring.slots='65' is not valid: not between 1 and 64; it takes: how many slots,"
                        + " 1 to 64");
        assertThatThrownBy(() -> StoreConfiguration.builder().set("tallystick.ring.slot", "1"))
                .hasMessageContaining("unknown key 'tallystick.ring.slot' in the builder; did you mean"
                        + " 'tallystick.ring.slots'?");
        assertThatThrownBy(() -> StoreConfiguration.builder().withVariables(Map.of("TALLYSTICK_RING_SLOT", "1")))
                .hasMessageContaining("did you mean 'TALLYSTICK_RING_SLOTS'?");
    }

    @Test
    void aKeyOfAProviderThatIsNotThereIsUnknown() {
        assertThatThrownBy(() -> StoreConfiguration.builder().set("tallystick.ring.slots", "3"))
                .hasMessageContaining("unknown key 'tallystick.ring.slots'");
        assertThat(StoreOption.all()).isEqualTo(StoreOption.own());
    }

    @Test
    void noTextHasASecret() throws Exception {
        install(Ring.class);

        assertThat(StoreConfiguration.builder()
                        .set("tallystick.ring.token", "hunter2")
                        .build())
                .hasToString("{tallystick.ring.token=(secret)}");
    }

    @Test
    void twoStoresOfOneNameAreRefusedBecauseEitherMayHaveWrittenTheLog() throws Exception {
        install(Ring.class, OtherRing.class);

        assertThatThrownBy(() -> ObjectStores.open(
                        StoreConfiguration.builder().store("ring").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.store='ring' is the name of two stores on the class path, ")
                .hasMessageContaining(Ring.class.getName() + " and " + OtherRing.class.getName());
    }

    @Test
    void aKeyThatTwoStoresDeclareCanBeGivenToNeither() throws Exception {
        install(Ring.class, Grabbing.class);

        assertThatThrownBy(() -> StoreConfiguration.builder().set("tallystick.ring.slots", "3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.ring.slots is declared twice, by the store ")
                .hasMessageContaining(Ring.class.getName())
                .hasMessageContaining(Grabbing.class.getName());
        assertThat(StoreConfiguration.builder()
                        .set("tallystick.ring.token", "x")
                        .build()
                        .get(TOKEN))
                .isEqualTo("x");
    }

    @Test
    void aStoreThatCannotTellItsOptionsIsNamedWhereAKeyIsUnknownAndDisturbsNobodyElse() throws Exception {
        install(Throwing.class, Ring.class);

        assertThat(StoreConfiguration.builder()
                        .set("tallystick.ring.slots", "3")
                        .build()
                        .get(SLOTS))
                .isEqualTo(3);
        assertThatThrownBy(() -> StoreConfiguration.builder().set("tallystick.throwing.size", "3"))
                .hasMessageContaining("; the options of the store throwing (" + Throwing.class.getName()
                        + ") are not known: java.lang.IllegalStateException: no file with my options");
    }

    @Test
    void aStoreThatDeclaresItsOptionsAnewDoesNotSilentlyReadTheDefault() throws Exception {
        install(Forgetful.class);
        StoreConfiguration given = StoreConfiguration.builder()
                .set("tallystick.forgetful.size", "3")
                .build();

        assertThatThrownBy(() -> given.get(Forgetful.anew()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("two settings are called tallystick.forgetful.size");
        assertThatThrownBy(() -> given.isSet(Forgetful.anew())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aKeyOfThisLibraryOrOfAnotherFormCannotBeDeclared() {
        for (String key : List.of("tallystick.journal.io", "tallystick.max.state-size", "tallystick.node.id")) {
            assertThatThrownBy(() -> StoreOption.of(setting(key)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(key + " is an option of this library's stores");
        }
        for (String key : List.of(
                "ring.slots",
                "tallystick",
                "tallystick.slots",
                "tallystick.Ring.slots",
                "tallystick.ring..slots",
                "tallystick.reaper.slots",
                "tallystick.reaper-of.slots",
                "tallystick.drain.slots",
                "tallystick.portal.slots",
                "tallystick.service.slots")) {
            assertThatThrownBy(() -> StoreOption.of(setting(key)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("an option of a store cannot be called '" + key + "'");
        }
    }

    @Test
    void twoKeysOfOneVariableCanBothNotBeGiven() throws Exception {
        install(Ring.class, Dashed.class);

        assertThat(StoreOption.ofOthers()).containsExactly(SLOTS, TOKEN);
        assertThatThrownBy(() -> StoreConfiguration.builder().withVariables(Map.of("TALLYSTICK_DASHED_A_B", "5")))
                .hasMessageContaining("tallystick.dashed.a.b or tallystick.dashed.a-b is declared twice, by the store"
                        + " dashed (" + Dashed.class.getName() + ") itself");
    }

    @Test
    void oneOptionThatTwoStoresShareBelongsToBoth() throws Exception {
        install(Ring.class, Sharing.class);

        assertThat(StoreConfiguration.builder()
                        .set("tallystick.ring.slots", "3")
                        .build()
                        .get(SLOTS))
                .isEqualTo(3);
    }

    @Test
    void aStoreWhoseNameThrowsDisturbsNobodyElse() throws Exception {
        install(Nameless.class, Ring.class);

        assertThat(StoreOption.ofOthers()).containsExactly(SLOTS, TOKEN);
        assertThatThrownBy(() -> ObjectStores.open(
                        StoreConfiguration.builder().store("rong").build()))
                .hasMessageContaining("did you mean 'ring'?")
                .hasMessageContaining("a store does not tell its name")
                .hasMessageContaining("no name");
    }

    private static Setting<String> setting(String key) {
        return Setting.of(key, ValueReaders.text(), Optional.empty(), "for tests");
    }

    private void install(Class<?>... providers) throws Exception {
        Path names = services.resolve("META-INF/services/" + ObjectStoreProvider.class.getName());
        Files.createDirectories(names.getParent());
        Files.writeString(names, Arrays.stream(providers).map(Class::getName).collect(Collectors.joining("\n")));
        Thread.currentThread()
                .setContextClassLoader(
                        new URLClassLoader(new URL[] {services.toUri().toURL()}, before));
    }
}
