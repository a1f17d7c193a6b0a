package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.UnsupportedFormatException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A library whose inspector or logs cannot be used keeps nobody from looking into other stores. */
class StoreInspectorsTest {
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @TempDir
    private Path directory;

    public static final class SoundInspector implements StoreInspector {
        @Override
        public String kind() {
            return "sound-v1";
        }

        @Override
        public boolean recognizes(Path place) {
            return place.endsWith("sound");
        }

        @Override
        public StoreInspection inspect(Path place) {
            throw new UnsupportedOperationException();
        }

        @Override
        public StoreInspection inspectOwned(Path place) {
            throw new UnsupportedOperationException();
        }
    }

    @BeforeEach
    void installABrokenLibraryInFrontOfASoundOne() throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(
                services.resolve(StoreInspector.class.getName()),
                "no.such.Inspector\n" + SoundInspector.class.getName());
        Files.writeString(services.resolve(RemoteLogs.class.getName()), "no.such.Logs");
        Thread.currentThread()
                .setContextClassLoader(
                        new URLClassLoader(new URL[] {directory.toUri().toURL()}, before));
    }

    @AfterEach
    void useTheContextClassLoaderAsBefore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void aBrokenInspectorHidesNoOtherOne() {
        assertThat(StoreInspectors.all()).extracting(StoreInspector::kind).contains("sound-v1");
        assertThat(StoreInspectors.of(Path.of("sound"))).isInstanceOf(SoundInspector.class);
    }

    @Test
    void aBrokenInspectorIsNamedWhereNoneKnowsTheDirectory() {
        assertThatThrownBy(() -> StoreInspectors.of(directory.resolve("other")))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("sound-v1; not usable: ")
                .hasMessageContaining("no.such.Inspector");
    }

    @Test
    void aBrokenLibraryForLogsElsewhereIsNamed() {
        assertThatThrownBy(() -> RemoteLogs.of("elsewhere"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("add io.tallystick:tallystick-store-elsewhere; not usable: ")
                .hasMessageContaining("no.such.Logs");
    }
}
