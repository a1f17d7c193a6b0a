package io.tallystick.store.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.text.DatabaseUrl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static final Setting<Integer> HEIGHT =
            Setting.of("a.b.height", ValueReaders.integer(1, 9), Optional.of("5"), "the height, 1 to 9");
    private static final Setting<String> NAME =
            Setting.of("a.b.its-name", ValueReaders.text(), Optional.empty(), "a name");
    private static final SettingFamily FAMILY =
            SettingFamily.of("a.", List.of(HEIGHT, NAME)).leaving(List.of("a.other."), List.of("A_OTHER_"));

    @TempDir
    Path directory;

    @Test
    void nothingGivenIsTheDefault() {
        Settings settings = builder().build();

        assertThat(settings.find(HEIGHT)).contains(5);
        assertThat(settings.find(NAME)).isEmpty();
        assertThat(settings.isSet(HEIGHT)).isFalse();
    }

    @Test
    void theFirstPlaceThatHasAValueGivesIt() throws IOException {
        Settings.Builder builder = builder().withFile(file("a.b.height=1"));
        assertThat(builder.build().find(HEIGHT)).contains(1);
        builder.withVariables(Map.of("A_B_HEIGHT", "2"));
        assertThat(builder.build().find(HEIGHT)).contains(2);
        builder.withProperties(properties("a.b.height", "3"));
        assertThat(builder.build().find(HEIGHT)).contains(3);
        builder.set("a.b.height", "4");
        assertThat(builder.build().find(HEIGHT)).contains(4);
        assertThat(builder.set(HEIGHT, 5).build().find(HEIGHT)).contains(5);
        assertThat(builder.set("a.b.height", "6").build().find(HEIGHT)).contains(6);
        assertThat(builder.withFile(file("a.b.height=7")).build().find(HEIGHT)).contains(6);
    }

    @Test
    void aBadValueIsToldWithTheNameAndThePlaceWhereItStands() throws IOException {
        assertThatThrownBy(() -> builder().set("a.b.height", "x"))
                .hasMessageStartingWith("a.b.height='x' is not valid: not a whole number");
        assertThatThrownBy(() -> builder().withProperties(properties("a.b.height", "x")))
                .hasMessageStartingWith("a.b.height='x' in the system properties is not valid");
        assertThatThrownBy(() -> builder().withVariables(Map.of("A_B_HEIGHT", "x")))
                .hasMessageStartingWith("A_B_HEIGHT='x' in the environment is not valid");
        Path file = file("a.b.height=x");
        assertThatThrownBy(() -> builder().withFile(file))
                .hasMessageStartingWith("a.b.height='x' in file " + file + " is not valid");
    }

    @Test
    void aTextThatIsEmptyIsNoValueWhateverItsPlace() throws IOException {
        Settings settings = builder()
                .set(HEIGHT, 3)
                .set("a.b.height", "")
                .set("a.b.its-name", " ")
                .withProperties(properties("a.b.its-name", ""))
                .withVariables(Map.of("A_B_ITS_NAME", "", "A_B_HEIGHT", " "))
                .withFile(file("a.b.its-name=\na.b.height="))
                .build();

        assertThat(settings.find(HEIGHT)).contains(3);
        assertThat(settings.isSet(NAME)).isFalse();
        assertThat(builder()
                        .withVariables(Map.of("A_B_ITS_NAME", ""))
                        .withFile(file("a.b.its-name=x"))
                        .build()
                        .find(NAME))
                .as("the next place")
                .contains("x");
        assertThatThrownBy(() -> builder().withVariables(Map.of("A_B_ITS_NAM", "")))
                .hasMessageContaining("unknown environment variable");
    }

    @Test
    void variablesThatKubernetesMakesForAServiceAreLeftAloneAndNamed() {
        Map<String, String> ofServices = Map.of(
                "A_DB_SERVICE_HOST", "10.0.0.7",
                "A_DB_SERVICE_PORT", "5432",
                "A_DB_SERVICE_PORT_SQL", "5432",
                "A_DB_PORT", "tcp://10.0.0.7:5432",
                "A_DB_PORT_5432_TCP", "tcp://10.0.0.7:5432",
                "A_DB_PORT_5432_TCP_PROTO", "tcp",
                "A_DB_PORT_5432_TCP_PORT", "5432",
                "A_DB_PORT_5432_TCP_ADDR", "10.0.0.7");

        Settings settings = builder().withVariables(ofServices).build();

        assertThat(settings).hasToString("{}");
        assertThat(settings.serviceVariables()).containsExactlyInAnyOrderElementsOf(ofServices.keySet());
        assertThat(settings.toBuilder().build().serviceVariables()).hasSize(ofServices.size());
        assertThatThrownBy(() -> builder().withVariables(Map.of("A_DB_PORT", "5432")))
                .as("what a person writes")
                .hasMessageContaining("unknown environment variable 'A_DB_PORT'");
    }

    @Test
    void aSettingWhoseVariableLooksLikeThatOfAServiceIsRead() {
        Setting<String> host = Setting.of("a.service-host", ValueReaders.text(), Optional.empty(), "a host");

        Settings settings = Settings.builder(SettingFamily.of("a.", List.of(host)))
                .withVariables(Map.of("A_SERVICE_HOST", "h"))
                .build();

        assertThat(settings.find(host)).contains("h");
    }

    @Test
    void aChoiceIsReadInCapitalLettersToo() {
        Function<String, String> choice = ValueReaders.choice(List.of("expire", "wait-for"), text -> text);

        assertThat(choice.apply("EXPIRE")).isEqualTo("expire");
        assertThat(choice.apply("Wait-For")).isEqualTo("wait-for");
        assertThatThrownBy(() -> choice.apply("EXPIRES")).hasMessage("did you mean 'expire'?");
        assertThat(ValueReaders.truth().apply("TRUE")).isTrue();
        assertThat(ValueReaders.textOr(List.of("file")).apply("File")).isEqualTo("file");
        assertThat(ValueReaders.textOr(List.of("file")).apply("Other")).isEqualTo("Other");
    }

    @ParameterizedTest
    @CsvSource({
        "${user.home}/tx, ${...} is not replaced here",
        "/var/${env}/tx, ${...} is not replaced here",
        "~/tx, ~ is not replaced here",
        "~, ~ is not replaced here",
        "file:/var/lib/tx, a URL is no path",
        "FILE:///var/lib/tx, a URL is no path",
        "%ProgramData%\\tx, %...% is not replaced here",
        "%TEMP%, %...% is not replaced here",
        "%ProgramFiles(x86)%/tx, %...% is not replaced here"
    })
    void aPathThatAShellOrAFrameworkShouldHaveReplacedIsRefused(String text, String reason) {
        assertThatThrownBy(() -> ValueReaders.path().apply(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "C:\\tx",
                "d:/tx",
                "\\\\server\\share\\tx",
                "\\var\\tx",
                "..\\tx",
                ".\\tx",
                "data\\tx",
                "data\\lib/tx"
            })
    void aPathOfWindowsIsRefusedOnOtherSystems(String text) {
        assertThatThrownBy(() -> ValueReaders.path(false).apply(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a path of Windows would be the name of one file here");
        assertThat(ValueReaders.path(true).apply(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/srv/a\\b/tx", "./a\\b", "50%/tx", "/srv/%5Ctx", "%/tx", "a%b%/tx"})
    void aBackslashOrPerCentInsideANameIsNone(String text) {
        assertThat(ValueReaders.path(false).apply(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"C:tx", "C:", "c:tx/log"})
    void aPathWhoseBackslashesAPropertiesFileHasDroppedIsRefusedEverywhere(String text) {
        for (boolean isWindows : new boolean[] {true, false}) {
            assertThatThrownBy(() -> ValueReaders.path(isWindows).apply(text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a drive without a slash behind it is no place");
        }
    }

    @Test
    void linesOfAPropertiesFileMayEndAsOnWindows() throws IOException {
        Settings settings =
                builder().withFile(file("a.b.height=7\r\na.b.its-name=x\r\n")).build();

        assertThat(settings.find(HEIGHT)).contains(7);
        assertThat(settings.find(NAME)).contains("x");
    }

    @Test
    void whatMayBeSecretIsInNoText() {
        Setting<String> url = Setting.of("a.b.url", ValueReaders.text(), Optional.empty(), "a database")
                .shownAs(DatabaseUrl::withoutSecrets);
        Settings settings = Settings.builder(SettingFamily.of("a.", List.of(url)))
                .set("a.b.url", "jdbc:db://u:hush@h/tx?password=hush")
                .build();

        assertThat(settings.find(url)).contains("jdbc:db://u:hush@h/tx?password=hush");
        assertThat(settings).hasToString("{a.b.url=jdbc:db://h/tx}");
    }

    @Test
    void anUnknownNameIsRefusedNamingAPresentOne() {
        assertThatThrownBy(() -> builder().withProperties(properties("a.tal", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown key 'a.tal' in the system properties; did you mean 'a.b.height'?");
        assertThatThrownBy(() -> builder().withVariables(Map.of("A_B_ITS_NAM", "1")))
                .hasMessage("unknown environment variable 'A_B_ITS_NAM'; did you mean 'A_B_ITS_NAME'?");
        assertThatThrownBy(() -> FAMILY.checkKeys(List.of("z", "a.other.x", "a.b.height", "a.x"), "here"))
                .hasMessageContaining("unknown key 'a.x' in here");
    }

    @Test
    void namesOfOthersAreLeftAlone() throws IOException {
        Settings settings = builder()
                .withProperties(properties("a.other.x", "1"))
                .withVariables(Map.of("A_OTHER_X", "1", "B", "1"))
                .withFile(file("a.other.x=1\nb=1"))
                .build();

        assertThat(settings).hasToString("{}");
        Path shared = file("b=1");
        assertThatThrownBy(() -> Settings.builder(FAMILY.owningTheFile()).withFile(shared))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown key 'b' in file " + shared);
    }

    @Test
    void aMissingFileIsToldByItsName() {
        assertThatThrownBy(() -> builder().withFile(directory.resolve("none")))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("configuration file=" + directory.resolve("none") + " cannot be read");
    }

    private static Settings.Builder builder() {
        return Settings.builder(FAMILY);
    }

    private static Properties properties(String key, String value) {
        Properties properties = new Properties();
        properties.setProperty(key, value);
        return properties;
    }

    private Path file(String content) throws IOException {
        return Files.writeString(Files.createTempFile(directory, "test", ".properties"), content);
    }
}
