package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The segmented journal leaves other libraries alone: where the class path has Artemis, its native library and
 * SLF4J without a provider, as an application with narayana-jta has it, no class of theirs is loaded and nothing is
 * printed.
 */
class QuietJournalTest {
    private static final int PATIENCE_SECONDS = 120;

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "channel", "direct"})
    void aRunOfTheSegmentedJournalTouchesNeitherArtemisNorSlf4jAndPrintsNothing(String io) throws Exception {
        assertThat(System.getProperty("java.class.path"))
                .contains("activemq-artemis-native", "slf4j-api", "artemis-journal");
        Path errors = temporary.resolve("errors");
        Path classes = temporary.resolve("classes");
        Path silence = Files.writeString(temporary.resolve("logging.properties"), ".level=OFF");

        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load:file=" + classes,
                        "--enable-native-access=ALL-UNNAMED",
                        "-Djava.util.logging.config.file=" + silence,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Run.class.getName(),
                        temporary.resolve("store").toString(),
                        io)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors.toFile())
                .start();

        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(errors).content().isEmpty();
        assertThat(process.exitValue()).isEqualTo(Run.GOOD);
        try (Stream<String> lines = Files.lines(classes)) {
            assertThat(lines.filter(line -> line.contains(" org.slf4j.") || line.contains(" org.apache.")))
                    .isEmpty();
        }
    }

    /** Opens, writes, reads, removes and closes. */
    static final class Run {
        static final int GOOD = 42;

        private Run() {}

        public static void main(String[] arguments) {
            StateKey key = StateKey.of("/T", ObjectId.of(new byte[] {1}));
            StoreConfiguration configuration = StoreConfiguration.builder()
                    .store("journal")
                    .directory(Path.of(arguments[0]))
                    .set(StoreOption.JOURNAL_IO.key(), arguments[1])
                    .build();
            for (int life = 0; life < 2; life++) {
                try (ObjectStore store = ObjectStores.open(configuration)) {
                    store.write(key, new byte[10], Durability.FORCED);
                    if (store.read(key).isEmpty() || !store.remove(key, Durability.FORCED)) {
                        throw new IllegalStateException("nothing was written");
                    }
                }
            }
            System.exit(GOOD);
        }
    }
}
