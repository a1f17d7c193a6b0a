package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer that nobody gets is no success. */
class StandardOutputTest {
    @TempDir
    Path root;

    private Path store;

    private record Ended(int exitCode, String err) {}

    @BeforeEach
    void fillAStore() {
        store = TestStores.filled(Kind.FILE, root.resolve("tx"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"export", "list", "stat", "verify", "verify --json", "completion", "--help", "--version"})
    void anAnswerThatCannotBeWrittenIsAFailure(String command) {
        boolean isOnStore = command.matches("(export|list|stat|verify).*");
        Ended ended = withFailing("No space left on device", isOnStore ? command + " " + store : command);

        assertThat(ended.exitCode).isEqualTo(ExitStatus.FAILED.code());
        assertThat(ended.err.lines())
                .singleElement()
                .asString()
                .startsWith("tallystick: standard output could not be written (No space left on device)")
                .contains("run the command again");
    }

    @ParameterizedTest
    @ValueSource(strings = {"export", "list", "verify --json"})
    void aReaderThatWantsNoMoreHearsNothing(String command) {
        Ended ended = withFailing("Broken pipe", command + " " + store);

        assertThat(ended.exitCode).isEqualTo(ExitStatus.FAILED.code());
        assertThat(ended.err).isEmpty();
    }

    @Test
    void aCommandThatDidItsWorkSaysHowItEnded() {
        assertThat(withFailing("No space left on device", "compact " + store).err)
                .contains("the command itself ended with status 0");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDeviceAndAClosedStandardOutputAreNoticedByTheProcess() throws Exception {
        try (ObjectStore opened = Kind.FILE.open(store)) {
            for (int i = 0; i < 300; i++) {
                opened.write(
                        StateKey.of("/Many", ObjectId.parse("0d%04x".formatted(i))),
                        new byte[100],
                        Durability.DEFERRED);
            }
        }
        for (Ended ended : List.of(shell("export", "> /dev/full"), shell("verify --json", ">&-"))) {
            assertThat(ended.exitCode).isEqualTo(ExitStatus.FAILED.code());
            assertThat(ended.err)
                    .contains("standard output could not be written")
                    .doesNotContain("exported");
        }
        assertThat(shell("export", "| head -n 1 > /dev/null").err).isEmpty();
        assertThat(shell("export", "> /dev/null").exitCode).isZero();
    }

    private Ended shell(String command, String place) throws IOException, InterruptedException {
        Path err = root.resolve("err");
        String java = Stream.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:-UsePerfData", // a later JDK would take the free descriptor for its file
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName())
                .map(word -> "'" + word + "'")
                .collect(Collectors.joining(" "));
        Process process = new ProcessBuilder(
                        "sh", "-c", java + " " + command + " '" + store + "' 2> '" + err + "' " + place)
                .inheritIO()
                .start();
        return new Ended(process.waitFor(), Files.readString(err));
    }

    private static Ended withFailing(String message, String commandLine) {
        StringWriter err = new StringWriter();
        OutputStream failing = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                throw new IOException(message);
            }
        };
        int exitCode = Main.run(commandLine.split(" "), failing, new PrintWriter(err, true));
        return new Ended(exitCode, err.toString());
    }
}
