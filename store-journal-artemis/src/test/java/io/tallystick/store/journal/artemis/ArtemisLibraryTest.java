package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A build may exclude the Artemis library. Then the engine names the library, and the segmented engine works. */
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

    @ParameterizedTest
    @ValueSource(strings = {"org.apache.activemq.artemis.", "io.netty."})
    void engineWithoutItsLibraryMakesNoDirectory(String hidden) {
        Path directory = temporary.resolve("store");
        assertThatThrownBy(() -> openWithout(hidden, directory, "artemis"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(directory).doesNotExist();
    }

    @Test
    void otherEngineWorksWithoutTheLibrary() throws Exception {
        Path directory = temporary.resolve("store");
        openWithout("org.apache.activemq.artemis.", directory, "segmented");
        assertThat(filesIn(directory)).anyMatch(name -> name.endsWith(".seg"));
    }

    private static List<String> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toString).toList();
        }
    }

    private static void openWithout(String hidden, Path directory, String engine) throws Exception {
        OpenAndClose.runIn(HidingClassLoader.withoutPackages(hidden), directory, engine);
    }
}
