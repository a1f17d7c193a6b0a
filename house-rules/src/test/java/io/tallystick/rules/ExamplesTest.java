package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A page and the directory of its example have the same files: what a reader copies from one is in the other. {@code
 * .ci/build-lines} runs the examples.
 */
class ExamplesTest {
    private static final Pattern FILE = Pattern.compile("(?ms)^```[a-z]+ (\\S+)\\n(.*?)^```$");
    private static final Set<String> ONLY_HERE = Set.of("try");

    private final Path root = Project.here().root();

    @ParameterizedTest
    @CsvSource({
        "tutorial, bank",
        "embedding-own, own-program",
        "embedding-spring-boot, spring-boot",
        "embedding-quarkus, quarkus"
    })
    void thePageHasTheFilesOfItsExample(String page, String example) throws IOException {
        Map<String, String> told = new TreeMap<>();
        Matcher files = FILE.matcher(Files.readString(root.resolve("docs/" + page + ".md")));
        while (files.find()) {
            told.put(files.group(1), files.group(2));
        }

        assertThat(told).hasSizeGreaterThan(2).isEqualTo(filesOf(root.resolve("examples/" + example)));
    }

    private static Map<String, String> filesOf(Path directory) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = directory.relativize(file).toString();
                if (!name.startsWith("target") && !ONLY_HERE.contains(name)) {
                    contents.put(name, Files.readString(file));
                }
            }
        }
        return contents;
    }
}
