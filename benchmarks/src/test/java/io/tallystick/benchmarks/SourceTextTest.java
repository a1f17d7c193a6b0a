package io.tallystick.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** House rules that only the source text can tell. */
class SourceTextTest {
    // Put together, so that this file does not break the rule that it holds.
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b|@Dis" + "abled");
    private static final Pattern SLEEP = Pattern.compile("\\bThread" + "\\.sleep\\(");

    @Test
    void nothingIsLeftUnfinishedOrSwitchedOff() {
        assertThat(linesWith(UNFINISHED, "src")).isEmpty();
    }

    @Test
    void testsWaitForEventsAndNeverForTime() {
        assertThat(linesWith(SLEEP, "src/test")).isEmpty();
    }

    @Test
    void sourcesAreFoundAtAll() {
        assertThat(linesWith(Pattern.compile("^package io\\.tallystick"), "src/main"))
                .anyMatch(line -> line.contains("StoreConfiguration.java"))
                .anyMatch(line -> line.contains("Bench.java"));
    }

    private static List<String> linesWith(Pattern pattern, String sources) {
        List<String> found = new ArrayList<>();
        Path root = Path.of("").toAbsolutePath().getParent();
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.sorted().toList()) {
                Path source = module.resolve(sources);
                if (Files.isRegularFile(module.resolve("pom.xml")) && Files.isDirectory(source)) {
                    found.addAll(linesWithin(source, pattern));
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return found;
    }

    private static List<String> linesWithin(Path source, Pattern pattern) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                List<String> lines = Files.readAllLines(file);
                for (int number = 1; number <= lines.size(); number++) {
                    if (pattern.matcher(lines.get(number - 1)).find()) {
                        found.add(file + ":" + number + " "
                                + lines.get(number - 1).trim());
                    }
                }
            }
        }
        return found;
    }
}
