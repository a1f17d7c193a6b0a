package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tallystick.storage.LossMark;
import io.tallystick.storage.SystemDisk;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Runs every command that docs/tool.md shows in a block marked {@code console}: a line after {@code $} is run, {@code #
 * exit status N} behind it says how it ends (0 where nothing is said), and the lines below are its output. Figures and
 * hexadecimal digits may differ; {@code ...} stands for any lines. The commands of one section run one after the other
 * on {@link #prepare fresh directories}.
 */
class ToolDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "tool.md");
    private static final Pattern EXIT_STATUS = Pattern.compile("(.*?)\\s+# exit status (\\d+)");
    private static final Pattern STATUS_ROW = Pattern.compile("\\| (\\d+) \\| (.*) \\|");

    /** Where the paths of the document lie while it is tested. */
    @TempDir
    Path root;

    private record Example(String commandLine, int exitCode, List<String> output) {}

    /** What the document may speak of; each section finds it fresh. */
    private static void prepare(Path root) throws IOException {
        Path lib = Files.createDirectories(root.resolve("var/lib"));
        Files.createDirectories(root.resolve("backup"));
        Files.createDirectories(root.resolve("tmp"));
        TestStores.filled(TestStores.Kind.SEGMENTED, lib.resolve("tx"));
        TestStores.filled(TestStores.Kind.FILE, lib.resolve("tx-file"));
        Files.createDirectories(lib.resolve("empty"));
        TestStores.damage(TestStores.filled(TestStores.Kind.SEGMENTED, lib.resolve("damaged")), "second");
        LossMark.write(
                new SystemDisk(),
                TestStores.filled(TestStores.Kind.SEGMENTED, lib.resolve("lost")),
                new UUID(1, 2),
                Instant.EPOCH,
                "file=/var/lib/tx/segment-000001.seg is gone",
                "pid=4711");
    }

    @TestFactory
    Stream<DynamicTest> everyCommandInTheManualDoesWhatItSays() throws IOException {
        return sections().entrySet().stream()
                .filter(section -> !section.getValue().isEmpty())
                .map(section -> dynamicTest(section.getKey(), () -> runAll(section.getKey(), section.getValue())));
    }

    @Test
    void everyCommandHasASectionWithAnExample() throws IOException {
        Map<String, List<Example>> sections = sections();

        for (String command : Main.commandLine().getSubcommands().keySet()) {
            assertThat(sections).containsKey(command);
            assertThat(sections.get(command))
                    .as("examples of " + command)
                    .anyMatch(example -> example.commandLine.startsWith("tallystick " + command));
        }
    }

    @Test
    void theTableOfExitCodesIsThatOfTheCode() throws IOException {
        List<String> table = Files.readAllLines(DOCUMENT).stream()
                .map(STATUS_ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1) + " " + row.group(2))
                .toList();

        assertThat(table)
                .containsExactlyElementsOf(Arrays.stream(ExitStatus.values())
                        .map(status -> status.code() + " " + status.meaning())
                        .toList());
    }

    @Test
    void everyOptionOfEveryCommandIsDescribed() {
        for (CommandLine command : Main.commandLine().getSubcommands().values()) {
            command.getCommandSpec().options().forEach(option -> assertThat(option.description())
                    .as(command.getCommandName() + " " + option.longestName())
                    .isNotEmpty());
        }
    }

    private void runAll(String section, List<Example> examples) throws IOException {
        Path place = Files.createDirectories(root.resolve(section.replaceAll("\\W+", "-")));
        prepare(place);
        for (Example example : examples) {
            run(example, place);
        }
    }

    private static void run(Example example, Path place) throws IOException {
        List<String> words = new ArrayList<>(List.of(example.commandLine.split(" +")));
        assertThat(words.remove(0)).as(example.commandLine).isEqualTo("tallystick");
        int redirection = words.indexOf(">");
        Path target = redirection < 0 ? null : Path.of(placed(words.get(redirection + 1), place));
        if (redirection >= 0) {
            words = words.subList(0, redirection);
        }
        ToolRun run = ToolRun.of(words.stream()
                .map(word -> placed(word.replaceAll("^'|'$", ""), place))
                .toArray());
        if (target != null) {
            Files.writeString(target, run.out());
        }

        assertThat(run.exitCode())
                .as("%s%n%s%s", example.commandLine, run.out(), run.err())
                .isEqualTo(example.exitCode);
        List<String> printed = Stream.concat(run.out().lines(), run.err().lines())
                .map(line -> shape(line.replace(place.toString(), "")))
                .toList();
        for (String line : example.output) {
            if (!line.equals("...")) {
                assertThat(printed).as(example.commandLine).contains(shape(line));
            }
        }
        if (!example.output.isEmpty() && !example.output.contains("...")) {
            assertThat(printed).as(example.commandLine).hasSameSizeAs(example.output);
        }
    }

    private static String placed(String word, Path place) {
        return word.replaceAll(
                "(^|=|,)/(var/lib|backup|tmp)\\b", "$1" + Matcher.quoteReplacement(place.toString()) + "/$2");
    }

    /** A line without what may differ from run to run. */
    private static String shape(String line) {
        return line.strip()
                .replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", "#")
                .replaceAll("\\b[0-9a-f]{6,}\\b", "#")
                .replaceAll("\\d[\\d.,]*", "#")
                .replaceAll("\\s+", " ");
    }

    /** The examples below each heading of the second level. */
    private static Map<String, List<Example>> sections() throws IOException {
        Map<String, List<Example>> sections = new java.util.LinkedHashMap<>();
        List<Example> current = new ArrayList<>();
        boolean isConsole = false;
        for (String line : Files.readAllLines(DOCUMENT)) {
            if (line.startsWith("```")) {
                isConsole = line.equals("```console");
            } else if (isConsole && line.startsWith("$ ")) {
                Matcher status = EXIT_STATUS.matcher(line);
                boolean isStated = status.matches();
                current.add(new Example(
                        (isStated ? status.group(1) : line).substring(2).strip(),
                        isStated ? Integer.parseInt(status.group(2)) : 0,
                        new ArrayList<>()));
            } else if (isConsole) {
                current.get(current.size() - 1).output.add(line);
            } else if (line.startsWith("## ")) {
                current = new ArrayList<>();
                sections.put(line.substring(3).replace("`", ""), current);
            }
        }
        return sections;
    }
}
