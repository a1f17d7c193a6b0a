package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/troubleshooting.md has every number that a message of the libraries begins with, and no other. */
class MessageIdsDocumentTest {
    private static final String DOCUMENT = "docs/troubleshooting.md";
    private static final Pattern NUMBER = Pattern.compile("\"(TALLY\\d{4})[ \"]");
    private static final Pattern ROW = Pattern.compile("\\| (TALLY\\d{4}) \\| [^|]+ \\| [^|]+ \\| [^|]+ \\|");

    private final Project project = Project.here();

    @Test
    void theDocumentHasTheNumbersOfTheSourcesAndNoOthers() {
        assertThat(modulesByNumber(project.mainSources()).keySet()).hasSizeGreaterThan(30);

        assertAgree(documented(document()), modulesByNumber(project.mainSources()));
    }

    @Test
    void aNumberThatOnlyOneSideHasIsFound() {
        List<SourceFile> sources =
                List.of(SourceFile.of("storage/src/main/java/A.java", "log(\"TALLY0001 full\", \"TALLY0002\")"));
        List<String> one = documented("| TALLY0001 | a | b | c |\n");
        List<String> three =
                documented("| TALLY0001 | a | b | c |\n| TALLY0002 | a | b | c |\n| TALLY0003 | a | b | c |");

        assertAgree(documented("| TALLY0002 | a | b | c |\n| TALLY0001 | a | b | c |"), modulesByNumber(sources));
        assertThatThrownBy(() -> assertAgree(one, modulesByNumber(sources))).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertAgree(three, modulesByNumber(sources))).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> documented("| TALLY0001 | a | b |\n")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> documented("| TALLY0001 | a | b | c |\n".repeat(2)))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void noNumberIsTwoModules() {
        assertThat(numbersOfTwoModules(modulesByNumber(project.mainSources()))).isEmpty();
    }

    @Test
    void aNumberOfTwoModulesIsFound() {
        assertThat(numbersOfTwoModules(modulesByNumber(List.of(
                        SourceFile.of("storage/src/main/java/A.java", "\"TALLY0001 a\"", "\"TALLY0002 a\""),
                        SourceFile.of("storage/src/main/java/B.java", "\"TALLY0002 a\""),
                        SourceFile.of("native/src/main/java/C.java", "\"TALLY0001 b\"")))))
                .containsExactly("TALLY0001");
    }

    private String document() {
        return project.documents().stream()
                .filter(document -> document.path().equals(DOCUMENT))
                .findFirst()
                .orElseThrow()
                .text();
    }

    private static void assertAgree(List<String> documented, Map<String, Set<String>> modulesByNumber) {
        assertThat(documented).as(DOCUMENT).containsExactlyInAnyOrderElementsOf(modulesByNumber.keySet());
    }

    private static List<String> numbersOfTwoModules(Map<String, Set<String>> modulesByNumber) {
        return modulesByNumber.entrySet().stream()
                .filter(entry -> entry.getValue().size() > 1)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<String> documented(String document) {
        List<String> numbers = new ArrayList<>();
        document.lines().filter(line -> line.startsWith("| TALLY")).forEach(line -> {
            Matcher row = ROW.matcher(line);
            assertThat(row.matches())
                    .as("four columns, none of them empty: %s", line)
                    .isTrue();
            numbers.add(row.group(1));
        });
        assertThat(numbers).as(DOCUMENT).doesNotHaveDuplicates();
        return numbers;
    }

    private static Map<String, Set<String>> modulesByNumber(Collection<SourceFile> sources) {
        Map<String, Set<String>> modules = new TreeMap<>();
        for (SourceFile source : sources) {
            Matcher matcher = NUMBER.matcher(source.file().text());
            while (matcher.find()) {
                modules.computeIfAbsent(matcher.group(1), number -> new TreeSet<>())
                        .add(source.module());
            }
        }
        return modules;
    }
}
