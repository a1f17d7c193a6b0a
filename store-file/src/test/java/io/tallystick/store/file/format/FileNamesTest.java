package io.tallystick.store.file.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileNamesTest {
    private static final int MAX_NAME_BYTES = 255;

    @ParameterizedTest
    @CsvSource({
        "/StateManager/BasicAction, +state+manager/+basic+action",
        "/a, a",
        "/A, +a",
        "/a1_z, a1_z",
        "/AZaz/09_/`{@[:, +a+zaz/09_/%60%7b%40%5b%3a",
        "/.., %2e%2e",
        "/+, %2b",
        "/~, %7e",
        "/%41, %2541",
        "/a-b c, a%2db%20c",
        "/\u00e4, %c3%a4",
    })
    void aTypeBecomesDirectoriesThatPeopleCanRead(String type, String directories) {
        assertThat(String.join("/", FileNames.directoriesOf(type))).isEqualTo(directories);
        assertThat(FileNames.typeOf(List.of(directories.split("/")))).contains(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "X", "%", "\u00e9", "."})
    void aLongElementIsSplitIntoDirectoriesThatSayThatItGoesOn(String letter) {
        String type = "/" + letter.repeat(1023 / letter.getBytes(StandardCharsets.UTF_8).length);
        StateKey.checkType(type);

        List<String> names = FileNames.directoriesOf(type);

        assertThat(names).hasSizeGreaterThan(3).allSatisfy(name -> {
            assertThat(name.length()).isLessThanOrEqualTo(FileNames.MAX_PIECE_CHARS + 1);
            assertThat(FileNames.isDirectory(name)).isTrue();
        });
        assertThat(names.subList(0, names.size() - 1)).allMatch(name -> name.endsWith("~"));
        assertThat(names.get(names.size() - 1)).doesNotEndWith("~");
        assertThat(FileNames.typeOf(names)).contains(type);
        assertThat(FileNames.typeOf(names.subList(0, names.size() - 1))).isEmpty();
    }

    @Test
    void differentTypesHaveDifferentDirectoriesEvenWhereCaseDoesNotCount() {
        Random random = new Random(1);
        String alphabet = "aAbB+~%/._0-\u00e4\u00c4\u0130\u0131";
        Map<String, String> typeOfDirectory = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            StringBuilder type = new StringBuilder("/");
            for (int length = 1 + random.nextInt(5); length > 0; length--) {
                type.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            if (type.toString().endsWith("/") || type.toString().contains("//")) {
                continue;
            }
            String directory = String.join("/", FileNames.directoriesOf(type.toString()));
            String earlier = typeOfDirectory.put(directory.toLowerCase(Locale.ROOT), type.toString());
            assertThat(earlier == null || earlier.equals(type.toString()))
                    .as("%s and %s are both %s", earlier, type, directory)
                    .isTrue();
            assertThat(directory).matches("[a-z0-9_+%~/]+");
        }
    }

    @Test
    void typesAroundTheLengthAtWhichNamesAreSplitStayApart() {
        Map<String, String> typeOfDirectory = new HashMap<>();
        for (int length = 110; length < 260; length++) {
            for (String last : List.of("x", "X", "/x", ".")) {
                String type = "/" + "x".repeat(length) + last;
                assertThat(typeOfDirectory.put(String.join("/", FileNames.directoriesOf(type)), type))
                        .isNull();
            }
        }
    }

    @Test
    void noIdHasTheNameOfADirectoryOrOfASpareFile() {
        ObjectId longest = ObjectId.parse("ff".repeat(ObjectId.MAX_BYTES));
        String name = FileNames.stateOf(longest);

        assertThat(name.length()).isLessThan(MAX_NAME_BYTES);
        assertThat(FileNames.idOf(name)).contains(longest);
        assertThat(FileNames.isDirectory(name)).isFalse();
        assertThat(FileNames.isSpare(name)).isFalse();
        assertThat(FileNames.isSpare(FileNames.spare(-1))).isTrue();
        assertThat(FileNames.idOf(FileNames.spare(1))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".state",
                "0.state",
                "0a",
                "0A.state",
                "0a.State",
                "0a.state ",
                "zz.state",
                "0a.state.tmp",
                "0a.spare",
                "../0a.state"
            })
    void whatNoIdIsCalledIsNoIdsName(String name) {
        assertThat(FileNames.idOf(name)).isEmpty();
    }

    @Test
    void anIdThatIsTooLongIsNoIdsName() {
        assertThat(FileNames.idOf("ff".repeat(ObjectId.MAX_BYTES + 1) + ".state"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "A", "a.b", "+A", "+", "%", "%2", "%2E", "a~b", "~", "lost found", "a\n"})
    void whatNoElementIsCalledIsNoDirectoryOfAStore(String name) {
        assertThat(FileNames.isDirectory(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "000000000000000g.spare", "0000000000000001.tmp", "0000000000000001.spare~"})
    void whatNoSpareFileIsCalledIsNoSpareFilesName(String name) {
        assertThat(FileNames.isSpare(name)).isFalse();
    }

    @Test
    void aNameOfADeviceOfWindowsIsNoDirectorysNameAndIsReadInBothForms() {
        assertThat(FileNames.directoriesOf("/app/aux")).containsExactly("app", "%61ux");
        assertThat(FileNames.directoriesOf("/com1")).containsExactly("%63om1");
        assertThat(FileNames.directoriesOf("/console/com10/CON")).containsExactly("console", "com10", "+c+o+n");
        assertThat(FileNames.typeOf(List.of("app", "%61ux"))).contains("/app/aux");
        assertThat(FileNames.typeOf(List.of("app", "aux"))).contains("/app/aux");
        assertThat(FileNames.typeOf(List.of("%61pp"))).isEmpty();
    }
}
