package io.tallystick.durability.run;

import io.tallystick.durability.stage.StageResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** One line for each run that ended: the time, the commit, the machine and the result. */
final class RunRecord {
    private static final String FILE = "runs.txt";

    private RunRecord() {}

    static void append(StageResult result) throws IOException {
        String line = OffsetDateTime.now().truncatedTo(ChronoUnit.SECONDS) + " commit=" + commit() + " java="
                + Runtime.version() + " system=" + System.getProperty("os.name") + "-"
                + System.getProperty("os.version") + " cores="
                + Runtime.getRuntime().availableProcessors() + " " + result.line() + "\n";
        Files.writeString(
                result.request().results().resolve(FILE), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** The commit, as the script passed it. */
    private static String commit() {
        return System.getProperty("tallystick.testkit.commit", "unknown");
    }

    static List<String> lines(Path results) throws IOException {
        Path file = results.resolve(FILE);
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }
}
