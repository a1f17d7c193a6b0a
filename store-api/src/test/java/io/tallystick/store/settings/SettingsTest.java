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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
                .hasMessage("a.tall='10' is not valid: not between 1 and 9; it takes: the height, 1 to 9");
        assertThatThrownBy(() -> builder().withVariables(Map.of("A_TALL", "x")))
                .hasMessageStartingWith("A_TALL='x' is not valid: not a whole number");
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
