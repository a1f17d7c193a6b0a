package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store asks for the engine by name. Without this artifact the store names the artifact and creates nothing. */
class MissingArtifactTest {
    private static final String ARTIFACT = "io.tallystick:tallystick-store-journal-artemis";

    @TempDir
    Path temporary;

    @Test
    void theErrorNamesTheArtifactAndTheEnginesThatAreThere() {
        assertThatThrownBy(() -> openWithoutTheArtifact("artemis"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(
                        "tallystick.journal.engine=artemis needs the artifact " + ARTIFACT, "[segmented]");
    }

    @Test
    void nothingIsCreated() throws Exception {
        assertThatThrownBy(() -> openWithoutTheArtifact("artemis")).isInstanceOf(IllegalArgumentException.class);

        try (Stream<Path> created = Files.list(temporary)) {
            assertThat(created).isEmpty();
        }
    }

    @Test
    void theSegmentedEngineWorks() throws Exception {
        openWithoutTheArtifact("segmented");

        try (Stream<Path> files = Files.list(temporary.resolve("store"))) {
            assertThat(files).anyMatch(file -> file.toString().endsWith(".seg"));
        }
    }

    /** The tests above prove something only if the same loader finds the engine when nothing is hidden. */
    @Test
    void withTheArtifactTheServiceLoaderFindsTheEngine() throws Exception {
        OpenAndClose.runIn(HidingClassLoader.withoutPackages("nothing.has.this.name."), store(), "artemis");

        try (Stream<Path> files = Files.list(store())) {
            assertThat(files).anyMatch(file -> file.toString().endsWith(".jnl"));
        }
    }

    private void openWithoutTheArtifact(String engine) throws Exception {
        OpenAndClose.runIn(HidingClassLoader.withoutArtifactOf(ArtemisEngine.class), store(), engine);
    }

    private Path store() {
        return temporary.resolve("store");
    }
}
