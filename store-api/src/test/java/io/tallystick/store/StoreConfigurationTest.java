package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreConfigurationTest {
    @TempDir
    Path directory;

    @Test
    void nothingGivenIsAllDefaults() {
        StoreConfiguration configuration = StoreConfiguration.builder().build();

        assertThat(configuration.get(StoreOption.STORE)).isEqualTo("journal");
        assertThat(configuration.isSet(StoreOption.STORE)).isFalse();
        assertThat(configuration.find(StoreOption.DIRECTORY)).isEmpty();
        assertThat(configuration).hasToString("{}");
    }

    @Test
    void missingValueIsRefusedSayingWhereItCanBeSet() {
        StoreConfiguration configuration = StoreConfiguration.builder().build();

        assertThatThrownBy(() -> configuration.get(StoreOption.DIRECTORY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.directory is not set")
                .hasMessageContaining("-Dtallystick.directory=")
                .hasMessageContaining("TALLYSTICK_DIRECTORY");
    }

    @Test
    void builderGoesBeforePropertiesBeforeVariablesBeforeFileBeforeDefault() throws IOException {
        Path file = file("tallystick.journal.io=channel");
        Map<String, String> variables = Map.of("TALLYSTICK_JOURNAL_IO", "direct");
        Properties properties = properties("tallystick.journal.io", "aio");

        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        assertThat(builder.build().get(StoreOption.JOURNAL_IO)).isEqualTo("auto");
        assertThat(builder.withFile(file).build().get(StoreOption.JOURNAL_IO)).isEqualTo("channel");
        assertThat(builder.withVariables(variables).build().get(StoreOption.JOURNAL_IO))
                .isEqualTo("direct");
        assertThat(builder.withProperties(properties).build().get(StoreOption.JOURNAL_IO))
                .isEqualTo("aio");
        assertThat(builder.set(StoreOption.JOURNAL_IO, "uring").build().get(StoreOption.JOURNAL_IO))
                .isEqualTo("uring");
    }

    @Test
    void orderOfTheCallsDoesNotMatter() throws IOException {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .set(StoreOption.JOURNAL_IO, "uring")
                .withProperties(properties("tallystick.journal.io", "aio"))
                .withVariables(Map.of("TALLYSTICK_JOURNAL_IO", "direct"))
                .withFile(file("tallystick.journal.io=channel"))
                .build();

        assertThat(configuration.get(StoreOption.JOURNAL_IO)).isEqualTo("uring");
    }

    @Test
    void valuesOfSeveralPlacesComeTogether() throws IOException {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .store("file")
                .withProperties(properties("tallystick.directory", "/d"))
                .withVariables(Map.of("TALLYSTICK_JOURNAL_SEGMENT_SIZE", "8MiB"))
                .withFile(file("tallystick.remove-durability=forced"))
                .build();

        assertThat(configuration.get(StoreOption.STORE)).isEqualTo("file");
        assertThat(configuration.get(StoreOption.DIRECTORY)).isEqualTo(Path.of("/d"));
        assertThat(configuration.get(StoreOption.JOURNAL_SEGMENT_SIZE)).isEqualTo(8 * StoreOption.MIB);
        assertThat(configuration.get(StoreOption.REMOVE_DURABILITY)).isEqualTo(Durability.FORCED);
        assertThat(configuration.isSet(StoreOption.REMOVE_DURABILITY)).isTrue();
    }

    @Test
    void unknownPropertyIsRefusedNamingTheNearest() {
        assertThatThrownBy(() ->
                        StoreConfiguration.builder().withProperties(properties("tallystick.journal.segment-siez", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'tallystick.journal.segment-siez'")
                .hasMessageContaining("did you mean 'tallystick.journal.segment-size'?");
    }

    @Test
    void unknownVariableIsRefusedNamingTheNearest() {
        assertThatThrownBy(() -> StoreConfiguration.builder().withVariables(Map.of("TALLYSTICK_DIRECTORI", "/d")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'TALLYSTICK_DIRECTORI'")
                .hasMessageContaining("did you mean 'TALLYSTICK_DIRECTORY'?");
    }

    @Test
    void unknownKeyInTheFileIsRefusedNamingFileAndNearest() throws IOException {
        Path file = file("tallystick.stor=file");

        assertThatThrownBy(() -> StoreConfiguration.builder().withFile(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'tallystick.stor' in file " + file)
                .hasMessageContaining("did you mean 'tallystick.store'?");
    }

    @Test
    void badValueIsRefusedWhereverItStands() throws IOException {
        Path file = file("tallystick.journal.segments=none");

        assertThatThrownBy(() -> StoreConfiguration.builder().withFile(file))
                .hasMessageContaining("tallystick.journal.segments='none'");
        assertThatThrownBy(
                        () -> StoreConfiguration.builder().withVariables(Map.of("TALLYSTICK_JOURNAL_SEGMENTS", "none")))
                .hasMessageContaining("TALLYSTICK_JOURNAL_SEGMENTS='none' in the environment");
        assertThatThrownBy(() ->
                        StoreConfiguration.builder().withProperties(properties("tallystick.journal.segments", "none")))
                .hasMessageContaining("tallystick.journal.segments='none'");
    }

    @Test
    void whatBelongsToOthersIsLeftAlone() throws IOException {
        Path file = file("tallystick.reaper.precision=1s\ntallystick.bench.forks=2\n");

        assertThatCode(() -> StoreConfiguration.builder()
                        .withFile(file)
                        .withProperties(properties("tallystick.reaper.precision", "1s"))
                        .withProperties(properties("tallystick.configuration-file", "/x"))
                        .withProperties(properties("user.home", "/x"))
                        .withProperties(properties("tallystickish.key", "x"))
                        .withVariables(Map.of(
                                "TALLYSTICK_REAPER_PRECISION",
                                "1s",
                                "TALLYSTICK_PORT_8080_TCP",
                                "tcp://10.0.0.1:8080",
                                "TALLYSTICK_SERVICE_HOST",
                                "10.0.0.1",
                                "TALLYSTICK_CONFIGURATION_FILE",
                                "/x",
                                "PATH",
                                "/bin"))
                        .build())
                .doesNotThrowAnyException();
    }

    @Test
    void fileIsReadAsUtf8() throws IOException {
        assumeTrue(
                Charset.forName(System.getProperty("sun.jnu.encoding"))
                        .newEncoder()
                        .canEncode('\u4e2d'),
                "skipped: the system's encoding of file names has no such letters");
        Path file = file("tallystick.directory=/var/l\u00f6g/\u4e2d");

        assertThat(StoreConfiguration.builder().withFile(file).build().get(StoreOption.DIRECTORY))
                .isEqualTo(Path.of("/var/l\u00f6g/\u4e2d"));
    }

    @Test
    void unreadableFileIsAnErrorThatNamesIt() throws IOException {
        Path missing = directory.resolve("missing.properties");
        Path broken = Files.write(directory.resolve("broken.properties"), new byte[] {'a', '=', (byte) 0xff});

        for (Path file : new Path[] {missing, broken, directory}) {
            assertThatThrownBy(() -> StoreConfiguration.builder().withFile(file))
                    .isInstanceOf(StoreIoException.class)
                    .hasMessageContaining("configuration file=" + file + " cannot be read")
                    .hasMessageContaining("check that it exists");
        }
    }

    @Test
    void builderOfAConfigurationHasItsValues() {
        StoreConfiguration configuration =
                StoreConfiguration.builder().store("file").directory(directory).build();
        StoreConfiguration changed =
                configuration.toBuilder().set(StoreOption.STORE, "inmemory").build();

        assertThat(changed.get(StoreOption.STORE)).isEqualTo("inmemory");
        assertThat(changed.get(StoreOption.DIRECTORY)).isEqualTo(directory);
        assertThat(configuration.get(StoreOption.STORE)).as("unchanged").isEqualTo("file");
    }

    @Test
    void nullIsRefused() {
        assertThatThrownBy(() -> StoreConfiguration.builder().set(StoreOption.STORE, null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> StoreConfiguration.builder().set((StoreOption<String>) null, "x"))
                .isInstanceOf(NullPointerException.class);
    }

    private Path file(String content) throws IOException {
        return Files.writeString(directory.resolve("tallystick.properties"), content);
    }

    private static Properties properties(String key, String value) {
        Properties properties = new Properties();
        properties.setProperty(key, value);
        return properties;
    }
}
