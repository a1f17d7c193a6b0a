package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.journal.JournalStores;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Artemis journal is an optional dependency: without it the engine says what is missing, and the other one works. */
class ArtemisLibraryTest {
    @TempDir
    Path temporary;

    /** The journal's own package, and one of those that it needs. */
    @ParameterizedTest
    @ValueSource(strings = {"org.apache.activemq.artemis.", "io.netty."})
    void engineWithoutItsLibraryNamesTheDependency(String hidden) throws Exception {
        Path directory = temporary.resolve("store");
        assertThatThrownBy(() -> openWithout(hidden, directory, "artemis"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.journal.engine=artemis")
                .hasMessageContaining("org.apache.artemis:artemis-journal")
                .satisfies(thrown ->
                        assertThat(thrown.getMessage().replace('/', '.')).contains("lacks " + hidden))
                .hasMessageContaining("tallystick.journal.engine=segmented");
    }

    @Test
    void engineWithoutItsLibraryMakesNoDirectory() {
        Path directory = temporary.resolve("store");
        assertThatThrownBy(() -> openWithout("org.apache.activemq.artemis.", directory, "artemis"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(directory).doesNotExist();
    }

    @Test
    void otherEngineWorksWithoutTheLibrary() throws Exception {
        Path directory = temporary.resolve("store");
        openWithout("org.apache.activemq.artemis.", directory, "segmented");
        assertThat(filesIn(directory)).anyMatch(name -> name.endsWith(".log"));
    }

    private static List<String> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toString).toList();
        }
    }

    /** Opens and closes a store where every class of ours is loaded anew, and those of this package cannot be found. */
    private static void openWithout(String hidden, Path directory, String engine) throws Exception {
        try (URLClassLoader loader = new HidingLoader(hidden)) {
            Class<?> opener = loader.loadClass(OpenAndClose.class.getName());
            opener.getMethod("run", Path.class, String.class).invoke(null, directory, engine);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof Exception exception) {
                throw exception;
            }
            throw thrown;
        }
    }

    /** Runs within the loader. */
    public static final class OpenAndClose {
        private OpenAndClose() {}

        public static void run(Path directory, String engine) {
            JournalStores.open(JournalStores.small(directory, engine, "channel"))
                    .close();
        }
    }

    private static final class HidingLoader extends URLClassLoader {
        private final String hidden;

        HidingLoader(String hidden) throws MalformedURLException {
            super(classPath(), ClassLoader.getPlatformClassLoader());
            this.hidden = hidden;
        }

        private static URL[] classPath() throws MalformedURLException {
            List<URL> urls = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(System.getProperty("path.separator"))) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            return urls.toArray(URL[]::new);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith(hidden)) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }
}
