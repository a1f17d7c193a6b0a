package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.rules.RuleLists.Rewriting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A list of exceptions only becomes shorter, and a message says which line to remove. */
class RuleListsTest {
    @TempDir
    private Path directory;

    @Test
    void everyListBelongsToARule() throws IOException {
        Path lists = Project.here().root().resolve("house-rules/src/test/resources");
        for (String kind : List.of("exceptions", "allowed")) {
            if (Files.isDirectory(lists.resolve(kind))) {
                try (Stream<Path> files = Files.list(lists.resolve(kind))) {
                    assertThat(files).allSatisfy(file -> assertThat(
                                    Rule.named(file.getFileName().toString()))
                            .as(file + " is the list of no rule: remove it")
                            .isPresent());
                }
            }
        }
    }

    @Test
    void everyRuleIsCheckedByOneTest() {
        String tests = Project.here().sources().stream()
                .filter(source -> source.path().startsWith("house-rules/")
                        && source.path().endsWith("Test.java"))
                .map(source -> source.file().text())
                .collect(Collectors.joining());

        for (Rule rule : Rule.values()) {
            assertThat(Pattern.compile("lists\\.check\\(\\s*Rule\\." + rule.name() + ",")
                            .matcher(tests)
                            .results())
                    .as(rule.name())
                    .hasSize(1);
        }
    }

    @Test
    void aRuleWithoutAListHoldsEverywhere() {
        assertThatCode(() -> check(Rewriting.NEVER, new Findings())).doesNotThrowAnyException();
        failed(Rewriting.NEVER, new Findings().add("storage/A.java", "storage/src/main/java/A.java:7"))
                .hasMessageContaining("COLUMNS")
                .hasMessageContaining("120 columns")
                .hasMessageContaining("new: storage/A.java has 1, listed are 0. Break the line.")
                .hasMessageContaining("storage/src/main/java/A.java:7");
    }

    @Test
    void whatIsListedIsLetThroughAndNoMore() throws IOException {
        list("exceptions", "storage/A.java 2");

        assertThatCode(() -> check(Rewriting.NEVER, found(2))).doesNotThrowAnyException();
        failed(Rewriting.NEVER, found(3)).hasMessageContaining("new: storage/A.java has 3, listed are 2");
    }

    @Test
    void aLineThatIsNoLongerNeededFailsAndSaysRemoveThisLine() throws IOException {
        list("exceptions", "storage/A.java 2", "storage/B.java");

        failed(Rewriting.NEVER, found(2))
                .hasMessageContaining("remove this line from")
                .hasMessageContaining("exceptions/columns.txt: storage/B.java");
    }

    @Test
    void aNumberThatIsTooLargeFailsAndSaysWhichLineToWrite() throws IOException {
        list("exceptions", "storage/A.java 3");

        failed(Rewriting.NEVER, found(2)).hasMessageContaining("write storage/A.java 2 instead of storage/A.java 3");
    }

    @Test
    void aListThatIsNotSortedFails() throws IOException {
        list("exceptions", "storage/B.java", "storage/A.java");

        failed(Rewriting.NEVER, found(1).add("storage/B.java", "x")).hasMessageContaining("not sorted");
    }

    @Test
    void aPlaceThatIsAllowedNeedsAReasonAndAUse() throws IOException {
        list("allowed", "storage/ | the seam itself");
        assertThatCode(() -> check(Rewriting.NEVER, found(3))).doesNotThrowAnyException();
        failed(Rewriting.NEVER, new Findings()).hasMessageContaining("allows nothing: remove this line");

        list("allowed", "storage/A.java");
        failed(Rewriting.NEVER, found(3)).hasMessageContaining("gives no reason");

        list("allowed", "storage/A.jav | a place is whole, or a directory");
        failed(Rewriting.NEVER, found(3)).hasMessageContaining("new: storage/A.java");
    }

    @Test
    void allLinesOfSomeRulesAreCounted() throws IOException {
        RuleLists lists = new RuleLists(directory, Rewriting.NEVER);
        assertThat(lists.countOf(Rule.COLUMNS, Rule.FILE_SIZE)).isZero();

        list("allowed", "storage/A.java | its subject", "storage/B.java | its subject");
        list("exceptions", "storage/C.java");
        assertThat(lists.countOf(Rule.COLUMNS, Rule.FILE_SIZE)).isEqualTo(3);
        assertThat(lists.countOf(Rule.FILE_SIZE)).isZero();
    }

    @Test
    void rewritingRemovesLinesAndLowersNumbersAndLetsNothingNewIn() throws IOException {
        list("exceptions", "storage/A.java 3", "storage/B.java");

        failed(Rewriting.REMOVE, found(2).add("storage/C.java", "x"))
                .hasMessageContaining("new: storage/C.java")
                .hasMessageNotContaining("storage/B.java");
        assertThat(listed()).containsExactly("storage/A.java 2");

        failed(Rewriting.REMOVE, found(5)).hasMessageContaining("new: storage/A.java has 5, listed are 2");
        assertThat(listed()).containsExactly("storage/A.java 2");
    }

    @Test
    void rewritingWithTheSecondWordWritesTheListAsItIsToday() throws IOException {
        list("exceptions", "storage/A.java 3", "storage/B.java");

        check(Rewriting.REMOVE_AND_ADD, found(12).add("storage/A", "x").add("storage/C.java", "x"));

        assertThat(listed()).containsExactly("storage/A", "storage/A.java 12", "storage/C.java");
        check(Rewriting.NEVER, found(12).add("storage/A", "x").add("storage/C.java", "x"));
    }

    @Test
    void theListOfARuleThatHoldsEverywhereGoes() throws IOException {
        list("exceptions", "storage/A.java 3");

        check(Rewriting.REMOVE, new Findings());

        assertThat(directory.resolve("exceptions/columns.txt")).doesNotExist();
    }

    @Test
    void theWordForRewritingIsChecked() {
        assertThat(Rewriting.of("")).isEqualTo(Rewriting.NEVER);
        assertThat(Rewriting.of("remove")).isEqualTo(Rewriting.REMOVE);
        assertThat(Rewriting.of("remove,add")).isEqualTo(Rewriting.REMOVE_AND_ADD);
        assertThatThrownBy(() -> Rewriting.of("true"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"remove,add\"");
    }

    private static Findings found(int count) {
        return new Findings().add("storage/A.java", count, "storage/src/main/java/A.java:1");
    }

    private void check(Rewriting rewriting, Findings findings) {
        new RuleLists(directory, rewriting).check(Rule.COLUMNS, findings);
    }

    private AbstractThrowableAssert<?, ? extends Throwable> failed(Rewriting rewriting, Findings findings) {
        return assertThatThrownBy(() -> check(rewriting, findings)).isInstanceOf(AssertionError.class);
    }

    private void list(String kind, String... lines) throws IOException {
        Files.createDirectories(directory.resolve(kind));
        Files.write(directory.resolve(kind).resolve("columns.txt"), List.of(lines));
    }

    private List<String> listed() throws IOException {
        return Files.readAllLines(directory.resolve("exceptions/columns.txt"));
    }
}
