package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The rules of language that a test can hold without noise: phrases of language.txt in comments, messages and
 * documents. A phrase is found too where it goes over the end of a line. CONTRIBUTING.md has the others.
 */
class LanguageTest {
    /** What begins a line of a comment, or goes on with a message in the next line, and what ends a message's part. */
    private static final Pattern LINE_END = Pattern.compile("(?:\" *)?\n[ \t]*(?:\\*(?!/) ?|// ?|\\+ \"|> ?)?[ \t]*");

    private final Project project = Project.here();
    private final RuleLists lists = RuleLists.ofTheProject();

    /** A phrase, and what is to be written instead. */
    private record Phrase(String words, String instead, Pattern pattern) {}

    @Test
    void textsAreInSimpleEnglish() {
        lists.check(Rule.LANGUAGE, phrasesIn(project.texts(), phrases()));
    }

    @Test
    void aPhraseIsFoundOverTheEndOfALineAndWithACapital() {
        TextFile source = new TextFile(
                "storage/src/main/java/A.java",
                String.join(
                        "\n",
                        "/** It waits by",
                        " * and large. */ // By and",
                        "    // large",
                        "String text = \"by \"",
                        "        + \"and large\";"));
        TextFile document = new TextFile(
                "docs/a.md", "It dies by and\nlarge; by and larger, nearby and large.\n\n> by\n> and large");
        List<Phrase> phrases = List.of(phrase("by and large | mostly"));

        assertThat(phrasesIn(List.of(source, document), phrases).counts())
                .containsExactly(
                        Map.entry("docs/a.md \"by and large\"", 2), Map.entry("storage/A.java \"by and large\"", 3));
        assertThat(phrasesIn(List.of(source), phrases).detailsOf("storage/A.java \"by and large\""))
                .containsExactly(
                        "storage/src/main/java/A.java:1, write: mostly",
                        "storage/src/main/java/A.java:2, write: mostly",
                        "storage/src/main/java/A.java:4, write: mostly");
    }

    @Test
    void aVoidMethodDoesNotReturnIf() {
        lists.check(Rule.RETURNS_IF, SyntaxTrees.ofTheProject().voidMethodsThatReturnIf());
    }

    @Test
    void aVoidMethodThatReturnsIfIsFoundAndABooleanOneIsNot() {
        SourceFile source = SourceFile.of(
                "storage/src/main/java/A.java",
                "interface A {",
                "/** Returns",
                " * if nothing was refused. */",
                "void check();",
                "/** Returns if there is one. */",
                "boolean is(); }");

        assertThat(SyntaxTrees.of(List.of(source)).voidMethodsThatReturnIf().counts())
                .containsExactly(Map.entry("storage/A.java", 1));
    }

    private List<Phrase> phrases() {
        Path list = project.root().resolve("house-rules/src/test/resources/language.txt");
        List<Phrase> phrases = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(list)) {
                phrases.add(phrase(line));
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        assertThat(phrases).hasSizeGreaterThan(3);
        return phrases;
    }

    private static Phrase phrase(String line) {
        String[] parts = line.split(" \\| ");
        assertThat(parts).as("phrase | instead: " + line).hasSize(2);
        return new Phrase(
                parts[0],
                parts[1],
                Pattern.compile("\\b" + parts[0].replace(" ", "\\s+") + "\\b", Pattern.CASE_INSENSITIVE));
    }

    private static Findings phrasesIn(Collection<TextFile> texts, List<Phrase> phrases) {
        Findings findings = new Findings();
        for (TextFile text : texts) {
            List<Integer> lineStarts = new ArrayList<>();
            String flowing = flowing(text.text(), lineStarts);
            for (Phrase phrase : phrases) {
                Matcher matcher = phrase.pattern().matcher(flowing);
                while (matcher.find()) {
                    int start = matcher.start();
                    long line =
                            1 + lineStarts.stream().filter(at -> at <= start).count();
                    findings.add(
                            text.place() + " \"" + phrase.words() + "\"",
                            text.path() + ":" + line + ", write: " + phrase.instead());
                }
            }
        }
        return findings;
    }

    /**
     * The text without line ends and what stands around them.
     *
     * @param lineStarts receives where each line but the first begins in the flowing text
     */
    private static String flowing(String text, List<Integer> lineStarts) {
        StringBuilder flowing = new StringBuilder();
        int from = 0;
        Matcher matcher = LINE_END.matcher(text);
        while (matcher.find()) {
            flowing.append(text, from, matcher.start()).append(' ');
            lineStarts.add(flowing.length());
            from = matcher.end();
        }
        return flowing.append(text.substring(from)).toString();
    }
}
