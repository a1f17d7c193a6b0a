package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.ValueReaders;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Engines of this library and of others, found by the name that the user gives. */
class JournalEnginesTest {
    private static final StoreOption<Integer> SLOTS = StoreOption.of(Setting.of(
            "tallystick.ring.slots", ValueReaders.integer(1, 64), Optional.of("8"), "how many slots, 1 to 64"));

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @TempDir
    Path temporary;

    /** An engine that opens no log, and says why. */
    public static class RingEngine implements JournalEngine {
        @Override
        public String name() {
            return "ring";
        }

        @Override
        public List<String> supportedIo() {
            return List.of("channel");
        }

        @Override
        public List<StoreOption<?>> options() {
            return List.of(SLOTS);
        }

        @Override
        public RecordLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) {
            throw new IllegalStateException("slots=" + context.options().get(SLOTS) + " found="
                    + context.options().find(SLOTS).isPresent());
        }
    }

    public static final class SecondRingEngine extends RingEngine {}

    public static final class ThrowingEngine extends RingEngine {
        @Override
        public String name() {
            return "throwing";
        }

        @Override
        public List<StoreOption<?>> options() {
            throw new IllegalStateException("no file with my options");
        }
    }

    public static final class NamelessEngine extends RingEngine {
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
    void anEngineOfAnotherLibraryIsOpenedWithItsOptions() throws Exception {
        install(RingEngine.class);

        assertThatThrownBy(() -> ObjectStores.open(
                        of("ring", "auto").set("tallystick.ring.slots", "3").build()))
                .hasMessage("slots=3 found=true");
    }

    @Test
    void anUnknownEngineIsRefusedBeforeAnythingIsMade() {
        assertThatThrownBy(() -> ObjectStores.open(of("ring", "auto").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("tallystick.journal.engine=ring is no engine on the class path, which has [segmented];"
                        + " add the artifact that has it, or configure one of these");
        assertThatThrownBy(() -> ObjectStores.open(of("artemis", "auto").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs the artifact io.tallystick:tallystick-store-journal-artemis");
        assertThat(temporary.resolve("store")).doesNotExist();
    }

    @Test
    void anUnknownWayToTheDiskIsRefusedBeforeAnythingIsMade() {
        assertThatThrownBy(() -> ObjectStores.open(of("segmented", "fast").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("tallystick.journal.io=fast is not for this engine; it takes: auto, direct, channel, aio,"
                        + " uring");
        assertThat(temporary.resolve("store")).doesNotExist();
    }

    @Test
    void twoEnginesOfOneNameAreRefusedBecauseEitherMayHaveWrittenTheLog() throws Exception {
        install(RingEngine.class, SecondRingEngine.class);

        assertThatThrownBy(() -> ObjectStores.open(of("ring", "auto").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.journal.engine=ring is the name of two engines on the class path, ")
                .hasMessageContaining(RingEngine.class.getName() + " and " + SecondRingEngine.class.getName());
        assertThat(temporary.resolve("store")).doesNotExist();
    }

    @Test
    void anEngineThatCannotTellItsOptionsIsNamedWhereAKeyIsUnknownAndHidesNoOtherOne() throws Exception {
        install(ThrowingEngine.class, NamelessEngine.class, RingEngine.class);

        assertThatThrownBy(() -> StoreConfiguration.builder().set("tallystick.throwing.slots", "3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown key 'tallystick.throwing.slots'")
                .hasMessageContaining("the options of the engine throwing (" + ThrowingEngine.class.getName() + ")")
                .hasMessageContaining("no file with my options")
                .hasMessageContaining("an engine is not usable: ")
                .hasMessageContaining("no name");
        assertThatThrownBy(() -> ObjectStores.open(
                        of("ring", "auto").set("tallystick.ring.slots", "3").build()))
                .hasMessage("slots=3 found=true");
    }

    private StoreConfiguration.Builder of(String engine, String io) {
        return StoreConfiguration.builder()
                .directory(temporary.resolve("store"))
                .set(StoreOption.JOURNAL_ENGINE, engine)
                .set(StoreOption.JOURNAL_IO, io);
    }

    private void install(Class<?>... engines) throws Exception {
        Path services = temporary.resolve("services");
        Path names = services.resolve("META-INF/services/" + JournalEngine.class.getName());
        Files.createDirectories(names.getParent());
        Files.writeString(names, Arrays.stream(engines).map(Class::getName).collect(Collectors.joining("\n")));
        Thread.currentThread()
                .setContextClassLoader(
                        new URLClassLoader(new URL[] {services.toUri().toURL()}, before));
    }
}
