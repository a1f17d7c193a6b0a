package io.tallystick.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/troubleshooting.md has every number that a message of the libraries begins with, and no other. */
class MessageIdsDocumentTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern NUMBER = Pattern.compile("\"(TALLY\\d{4})[ \"]");
    private static final Pattern ROW = Pattern.compile("\\| (TALLY\\d{4}) \\| [^|]+ \\| [^|]+ \\| [^|]+ \\|");

    @Test
    void theDocumentHasTheNumbersOfTheSourcesAndNoOthers() throws IOException {
        List<String> documented = documented();

        assertThat(documented).doesNotHaveDuplicates();
        assertThat(new TreeSet<>(documented)).isEqualTo(modulesByNumber().keySet());
    }

    @Test
    void noNumberIsTwoModules() throws IOException {
        assertThat(modulesByNumber())
                .allSatisfy((number, modules) -> assertThat(modules).as(number).hasSize(1));
    }

    private static List<String> documented() throws IOException {
        List<String> numbers = new ArrayList<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/troubleshooting.md"))) {
            if (line.startsWith("| TALLY")) {
                Matcher row = ROW.matcher(line);
                assertThat(row.matches())
                        .as("four columns, none of them empty: %s", line)
                        .isTrue();
                numbers.add(row.group(1));
            }
        }
        return numbers;
    }

    private static Map<String, Set<String>> modulesByNumber() throws IOException {
        Map<String, Set<String>> modules = new TreeMap<>();
        for (Path source : librarySources()) {
            Matcher matcher = NUMBER.matcher(Files.readString(source));
            while (matcher.find()) {
                modules.computeIfAbsent(matcher.group(1), number -> new TreeSet<>())
                        .add(ROOT.relativize(source).getName(0).toString());
            }
        }
        assertThat(modules).as("numbers found").hasSizeGreaterThan(30);
        return modules;
    }

    private static List<Path> librarySources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.filter(each -> Files.isRegularFile(each.resolve("pom.xml")))
                    .toList()) {
                for (String part : List.of("src/main/java", "src/main/java22")) {
                    if (Files.isDirectory(module.resolve(part))) {
                        try (Stream<Path> tree = Files.walk(module.resolve(part))) {
                            tree.filter(file -> file.toString().endsWith(".java"))
                                    .forEach(sources::add);
                        }
                    }
                }
            }
        }
        return sources;
    }
}
