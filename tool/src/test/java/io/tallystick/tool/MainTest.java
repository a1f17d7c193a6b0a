package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.Json;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command line itself answers. */
class MainTest {
    @TempDir
    Path root;

    @Test
    void noCommandIsAnErrorThatNamesThem() {
        assertThat(ToolRun.of().endsWith(ExitStatus.USAGE).err()).contains("list", "--help");
    }

    @Test
    void anUnknownOptionIsAnErrorWithASuggestion() {
        assertThat(ToolRun.of("list", "--limt", "3", root)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("--limt", "--limit", "tallystick list --help");
    }

    @Test
    void anUnknownOptionIsNamedAloneAndTheDirectoryIsNone() {
        assertThat(ToolRun.of("list", "--lmit", "1", root)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("'--lmit' is not an option of 'tallystick list'", "did you mean '--limit'?")
                .doesNotContain(root.toString());
        assertThat(ToolRun.of("list", "--frobnicate=1", root)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("'--frobnicate' is not an option", "the options are: ", "--in-doubt")
                .doesNotContain("did you mean");
    }

    @Test
    void aBadNumberIsToldInWordsOfPeople() {
        for (Object[] command : new Object[][] {
            {"list", "--limit", "99999999999999999999", root},
            {"list", "--limit", "a", root},
            {"bench", "--threads", "a", root},
            {"probe-disk", "--millis", "1.5", root}
        }) {
            assertThat(ToolRun.of(command).endsWith(ExitStatus.USAGE).err())
                    .contains(command[1].toString(), "'" + command[2] + "'", "give a number")
                    .doesNotContain("is not a long", "is not an int");
        }
    }

    @Test
    void aWrongCommandLineIsAJsonObjectToo() {
        for (Object[] command : new Object[][] {
            {"list", "--json"},
            {"list", "--json", "--lmit", "1", root},
            {"list", "--json", "--limit", "0", root},
            {"verfy", "--json", root},
            {"quarantine", "--json"}
        }) {
            ToolRun run = ToolRun.of(command).endsWith(ExitStatus.USAGE);
            assertThat(run.json().getString("status", "")).isEqualTo("usage");
            assertThat(run.json().getInt("exitCode", -1)).isEqualTo(ExitStatus.USAGE.code());
            assertThat(run.err()).contains(run.json().getString("error", "-"));
        }
        assertThat(ToolRun.of("list").endsWith(ExitStatus.USAGE).out()).isEmpty();
    }

    @Test
    void aNameThatAnOptionDoesNotTakeIsToldTheNearestAsItIsWritten() {
        for (String[] command : new String[][] {
            {"doctor", "--framework", "springboot", "spring-boot"},
            {"doctor", "--framework", "Quarkuss", "quarkus"},
            {"migrate", "--to", "segmentd", "segmented"}
        }) {
            assertThat(ToolRun.of(command[0], command[1], command[2], root, root)
                            .endsWith(ExitStatus.USAGE)
                            .err())
                    .contains("did you mean '" + command[3] + "'?")
                    .doesNotContain("[", command[3].toUpperCase(Locale.ROOT).replace('-', '_'));
        }
        assertThat(ToolRun.of("migrate", "--to", "xyz", root, root)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("--to does not take 'xyz'", "it takes one of: file, segmented, artemis, postgresql");
    }

    @Test
    void oneIsNotAPlural() {
        assertThat(Escaped.count(1, "place")).isEqualTo("1 place");
        assertThat(Escaped.count(0, "place")).isEqualTo("0 places");
        assertThat(Escaped.count(2000, "state")).isEqualTo("2,000 states");
    }

    @Test
    void helpIsACommandToo() {
        assertThat(ToolRun.of("help").endsWith(ExitStatus.OK).out())
                .isEqualTo(ToolRun.of("--help").out());
        assertThat(ToolRun.of("help", "list").endsWith(ExitStatus.OK).out())
                .isEqualTo(ToolRun.of("list", "--help").out());
        for (String word : new String[] {"frobnicate", "verfy"}) {
            assertThat(ToolRun.of("help", word).endsWith(ExitStatus.USAGE).err())
                    .isEqualTo(ToolRun.of(word).endsWith(ExitStatus.USAGE).err());
        }
    }

    @Test
    void whatALibraryWarnsOfIsOneLine() {
        LogRecord warning = new LogRecord(Level.WARNING, "TALLY0101 a\u009b31m");
        warning.setThrown(new IllegalStateException("first\nsecond"));

        assertThat(new WarningLine().format(warning))
                .isEqualTo("tallystick: warning: TALLY0101 a\\u009b31m"
                        + " (java.lang.IllegalStateException: first\\u000asecond)" + System.lineSeparator());
    }

    @Test
    void anUnknownCommandIsToldTheNearestOneOrNone() {
        assertThat(ToolRun.of("verfy", root).endsWith(ExitStatus.USAGE).err())
                .contains("'verfy' is not a command", "did you mean 'verify'?");
        assertThat(ToolRun.of("frobnicate").endsWith(ExitStatus.USAGE).err())
                .contains("'frobnicate' is not a command", "list, show")
                .doesNotContain("did you mean");
    }

    @Test
    void aDrainIsSentToTheCommandThatDrains() {
        assertThat(ToolRun.of("drain", root).endsWith(ExitStatus.USAGE).err())
                .contains("'drain' is not a command", "io.tallystick.narayana.DrainProcess", "docs/draining.md")
                .doesNotContain("quarantine");
    }

    @Test
    void aNumberThatMakesNoSenseIsRefusedBeforeAnythingIsDone() {
        Path store = TestStores.filled(TestStores.Kind.FILE, root.resolve("tx"));

        for (Object[] command : new Object[][] {
            {"list", "--limit", "-1", store},
            {"list", "--limit", "0", store},
            {"bench", "--millis", "-1", root},
            {"bench", "--threads", "4,0", root},
            {"bench", "--bytes", "-1", root},
            {"probe-disk", "--millis", "-1", root}
        }) {
            ToolRun run = ToolRun.of(command).endsWith(ExitStatus.USAGE);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).contains(command[1].toString(), "1 or more", "--help");
        }
    }

    @Test
    void anUnknownKeyOfTheConfigurationIsAnErrorWithASuggestion() {
        Path store = TestStores.filled(TestStores.Kind.FILE, root.resolve("tx"));

        assertThat(ToolRun.of("import", "-Dtallystick.journal.oi=channel", store, "no-file")
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("tallystick.journal.io");
    }

    @Test
    void helpAndVersionEndWell() {
        assertThat(ToolRun.of("--help").endsWith(ExitStatus.OK).out()).contains("list");
        assertThat(ToolRun.of("list", "--help").endsWith(ExitStatus.OK).out()).contains("--type");
        assertThat(ToolRun.of("--version").endsWith(ExitStatus.OK).out()).startsWith("tallystick ");
    }

    @Test
    void anErrorIsAJsonObjectToo() {
        assertThat(ToolRun.of("list", "--json", root)
                        .endsWith(ExitStatus.NO_STORE)
                        .json()
                        .toString())
                .contains("\"exitCode\":4", "\"status\":\"no-store\"", "is empty");
    }

    @Test
    void anErrorOfTheJvmIsAFailureAndNotTheAnswerNo() {
        for (Error error : new Error[] {new OutOfMemoryError("Java heap space"), new StackOverflowError()}) {
            StringWriter err = new StringWriter();
            StringWriter answer = new StringWriter();
            PrintWriter out = new PrintWriter(answer) {
                private boolean hasFailed;

                @Override
                public void println(String line) {
                    if (!hasFailed) {
                        hasFailed = true;
                        throw error;
                    }
                    super.println(line);
                }
            };
            String[] commandLine = {
                "stat",
                "--json",
                TestStores.filled(
                                TestStores.Kind.FILE,
                                root.resolve(error.getClass().getSimpleName()))
                        .toString()
            };

            assertThat(Main.run(commandLine, out, new PrintWriter(err, true))).isEqualTo(ExitStatus.FAILED.code());
            assertThat(err.toString().lines()).singleElement().asString().startsWith("tallystick: ");
            assertThat(Json.parse(answer.toString()).asObject().getString("status", ""))
                    .isEqualTo("failed");
        }
    }

    @Test
    void aStackTraceIsForThoseWhoAsk() {
        assertThat(ToolRun.of("list", "--stacktrace", root).err()).contains("\tat ");
    }

    @Test
    void completionIsAScriptThatKnowsEveryCommand() {
        String script = ToolRun.of("completion").endsWith(ExitStatus.OK).out();

        assertThat(Main.commandLine().getSubcommands().keySet())
                .allSatisfy(command -> assertThat(script).contains("_picocli_tallystick_" + command.replace("-", "")));
    }

    @Test
    void anAnswerInJsonHasNoCharacterThatControlsATerminal() {
        Path store = root.resolve("tx");
        StateKey key = StateKey.of("/Shop/a\u009b31m\u007fb\u202ec\\d\"e", ObjectId.parse("0c01"));
        try (ObjectStore opened = TestStores.Kind.FILE.open(store)) {
            opened.write(key, new byte[1], Durability.FORCED);
        }

        ToolRun list = ToolRun.of("list", "--json", store).endsWith(ExitStatus.OK);
        assertThat(list.out()).contains("\\u009b", "\\u007f", "\\u202e").isASCII();
        assertThat(list.json().get("keys").asArray().get(0).asObject().getString("key", ""))
                .isEqualTo(key.toString());

        ToolRun export = ToolRun.of("export", store).endsWith(ExitStatus.OK);
        assertThat(export.out()).contains("\\u009b", "\\u007f").isASCII();
        Path file = root.resolve("export.jsonl");
        Path other = root.resolve("other");
        ToolRun.of("export", "--to", file, store).endsWith(ExitStatus.OK);
        ToolRun.of("import", "--create", "file", other, file).endsWith(ExitStatus.OK);
        assertThat(ToolRun.of("list", other).out())
                .isEqualTo(ToolRun.of("list", store).out());
    }

    @Test
    void whatControlsATerminalIsEscapedAndComesBack() {
        String text = "a\u001b[31m\\b\u202e\ud800ü€";

        assertThat(Escaped.of(text)).isEqualTo("a\\u001b[31m\\u005cb\\u202e\\ud800ü€");
        assertThat(Escaped.parse(Escaped.of(text))).isEqualTo(text);
    }
}
