package io.tallystick.store.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

class SettingsTest {
    private static final Setting<Integer> HEIGHT = Setting.of(
                    "a.b.height", ValueReaders.integer(1, 9), Optional.of("5"), "the height, 1 to 9")
            .formerly("a.tall", "a.b.tallness");
    private static final Setting<String> NAME =
            Setting.of("a.b.its-name", ValueReaders.text(), Optional.empty(), "a name");
    private static final SettingFamily FAMILY = SettingFamily.of("a.", List.of(HEIGHT, NAME))
            .retiring(List.of("a.b.colour"))
            .leaving(List.of("a.other."), List.of("A_OTHER_"));

    @TempDir
    Path directory;

    @Test
    void nothingGivenIsTheDefaultWithoutANotice() {
        Settings settings = builder().build();

        assertThat(settings.find(HEIGHT)).contains(5);
        assertThat(settings.find(NAME)).isEmpty();
        assertThat(settings.isSet(HEIGHT)).isFalse();
        assertThat(settings.notices()).isEmpty();
    }

    @Test
    void aFormerNameWorksInEveryPlaceAndIsNoticed() throws IOException {
        assertThat(List.of(
                        builder().set("a.tall", "7"),
                        builder().withProperties(properties("a.tall", "7")),
                        builder().withFile(file("a.tall=7"))))
                .allSatisfy(builder -> {
                    assertThat(builder.build().find(HEIGHT)).contains(7);
                    assertThat(builder.build().isSet(HEIGHT)).isTrue();
                    assertThat(builder.build().notices())
                            .containsExactly("a.tall is now called a.b.height and still works; rename it");
                });
        Settings fromVariables = builder().withVariables(Map.of("A_TALL", "7")).build();
        assertThat(fromVariables.find(HEIGHT)).contains(7);
        assertThat(fromVariables.notices())
                .containsExactly("A_TALL is now called A_B_HEIGHT and still works; rename it");
    }

    @Test
    void formerNamesOfOneSettingInSeveralPlacesAreOneNotice() throws IOException {
        Settings settings = builder()
                .set("a.b.tallness", "2")
                .withProperties(properties("a.tall", "3"))
                .withVariables(Map.of("A_TALL", "4"))
                .withFile(file("a.tall=5"))
                .build();

        assertThat(settings.find(HEIGHT)).as("the first place").contains(2);
        assertThat(settings.notices()).hasSize(1);
    }

    @Test
    void bothNamesWithOneValueAreAccepted() {
        Settings settings = builder()
                .withProperties(properties("a.tall", "7"))
                .withProperties(properties("a.b.height", " 7 "))
                .build();

        assertThat(settings.find(HEIGHT)).contains(7);
        assertThat(settings.notices()).hasSize(1);
    }

    @Test
    void bothNamesWithDifferentValuesAreRefusedNamingBothWhereverTheyStand() throws IOException {
        Path file = file("a.tall=3");
        for (Settings.Builder builder : List.of(
                builder().set("a.b.height", "4").set("a.tall", "3"),
                builder().set("a.tall", "3").set("a.b.height", "4"),
                builder().withProperties(properties("a.b.height", "4")).withFile(file),
                builder().withProperties(properties("a.b.height", "4")).withProperties(properties("a.tall", "3")))) {
            assertThatThrownBy(builder::build)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "a.tall=3 is the former name of a.b.height=4, which differs; give the second one alone");
        }
        assertThatThrownBy(() -> builder()
                        .withVariables(Map.of("A_TALL", "3", "A_B_HEIGHT", "4"))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("A_TALL=3", "A_B_HEIGHT=4");
    }

    @Test
    void aValueThatCodeSetsGoesBeforeAFormerName() {
        Settings settings = builder()
                .set(HEIGHT, 9)
                .withProperties(properties("a.tall", "3"))
                .build();

        assertThat(settings.find(HEIGHT)).contains(9);
        assertThat(settings.notices()).hasSize(1);
        assertThat(settings.toBuilder().set("a.tall", "2").build().find(HEIGHT)).contains(2);
        assertThat(settings.toBuilder().build().notices()).isEqualTo(settings.notices());
    }

    @Test
    void aRetiredNameHasNoEffectWhateverItsValueAndIsNoticed() throws IOException {
        for (Settings.Builder builder : List.of(
                builder().set("a.b.colour", "red"),
                builder().withProperties(properties("a.b.colour", "")),
                builder().withFile(file("a.b.colour=-1")))) {
            assertThat(builder.build()).hasToString("{}");
            assertThat(builder.build().notices()).containsExactly("a.b.colour has no effect any more; remove it");
        }
        assertThat(builder().withVariables(Map.of("A_B_COLOUR", "red")).build().notices())
                .containsExactly("A_B_COLOUR has no effect any more; remove it");
    }

    @Test
    void aBadValueOfAFormerNameIsToldByTheNameThatWasGiven() {
        assertThatThrownBy(() -> builder().withProperties(properties("a.tall", "10")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a.tall='10' in the system properties is not valid: not between 1 and 9; it takes: the"
                        + " height, 1 to 9");
        assertThatThrownBy(() -> builder().withVariables(Map.of("A_TALL", "x")))
                .hasMessageStartingWith("A_TALL='x' in the environment is not valid: not a whole number");
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
                .withVariables(Map.of("A_B_ITS_NAME", "", "A_TALL", " "))
                .withFile(file("a.b.its-name=\na.tall="))
                .build();

        assertThat(settings.find(HEIGHT)).contains(3);
        assertThat(settings.isSet(NAME)).isFalse();
        assertThat(settings.notices()).isEmpty();
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
        "FILE:///var/lib/tx, a URL is no path"
    })
    void aPathThatAShellOrAFrameworkShouldHaveReplacedIsRefused(String text, String reason) {
        assertThatThrownBy(() -> ValueReaders.path().apply(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void anUnknownNameIsRefusedNamingAPresentOne() {
        assertThatThrownBy(() -> builder().withProperties(properties("a.tal", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown key 'a.tal' in the system properties; did you mean 'a.b.height'?");
        assertThatThrownBy(() -> builder().withVariables(Map.of("A_B_ITS_NAM", "1")))
                .hasMessage("unknown environment variable 'A_B_ITS_NAM'; did you mean 'A_B_ITS_NAME'?");
        assertThatThrownBy(() -> FAMILY.checkKeys(List.of("z", "a.other.x", "a.tall", "a.b.colour", "a.x"), "here"))
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
