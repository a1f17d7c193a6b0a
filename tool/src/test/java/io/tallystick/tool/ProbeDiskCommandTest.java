package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.tallystick.storage.Mount;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the tool says of a disk. */
class ProbeDiskCommandTest {
    @TempDir
    Path root;

    @Test
    void everyWayIsTriedOrSaysWhyNotAndNothingStaysBehind() throws IOException {
        ToolRun run = ToolRun.of("probe-disk", "--json", "--millis", "20", root);

        JsonObject answer = run.json();
        assertThat(answer.get("ways").asArray()).hasSize(SyncTrial.WAYS.size());
        for (JsonValue way : answer.get("ways").asArray()) {
            boolean works = way.asObject().get("works").asBoolean();
            assertThat(way.asObject().names()).contains(works ? "durableWrite" : "reason");
        }
        JsonObject channel = answer.get("ways").asArray().get(0).asObject();
        assertThat(channel.getString("io", "")).isEqualTo("channel");
        assertThat(channel.get("durableWrite").asObject().getLong("count", 0)).isPositive();
        run.endsWith(answer.get("syncLikelyHonoured").asBoolean() ? ExitStatus.OK : ExitStatus.NEGATIVE);
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void thePageShowsAWayThatIsNotThereAsTheToolDoes() throws IOException {
        String word = "not available: ";
        assertThat(Files.readString(Path.of("..", "docs", "tool.md"))).contains("uring        " + word);
        String printed = ToolRun.of("probe-disk", "--millis", "5", root).out();
        if (ToolRun.of("probe-disk", "--json", "--millis", "5", root).out().contains("\"works\":false")) {
            assertThat(printed).contains("  " + word);
        }
    }

    @Test
    void aMissingDirectoryIsAWrongCommandLine() {
        assertThat(ToolRun.of("probe-disk", root.resolve("no"))
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("is not an existing directory");
    }

    /** Nobody can make a file there, as on a full disk. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aDirectoryThatTakesNoFileIsNamed() {
        assertThat(ToolRun.of("probe-disk", "--millis", "5", "/proc")
                        .endsWith(ExitStatus.FAILED)
                        .err())
                .contains("directory=/proc: a trial write failed", "has room");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void memoryHonoursNothing() throws IOException {
        Path memory = Path.of("/dev/shm");
        if (!Files.isWritable(memory) || !Mount.of(memory).isMemory()) {
            return;
        }

        assertThat(ToolRun.of("probe-disk", "--millis", "5", memory)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("honoured     no: the file system is memory", "warning ");
    }

    @Test
    void aSyncThatIsQuickerThanDisksOrSwitchedOffIsNotBelieved() {
        Mount disk = new Mount("ext4", "/", "/dev/sda1", "rw,relatime", Optional.of("write back"));
        Mount noBarrier = new Mount("ext4", "/", "/dev/sda1", "rw,nobarrier", Optional.empty());

        assertThat(ProbeDiskCommand.verdict(disk, List.of(trial(80_000))).isHonoured())
                .isTrue();
        assertThat(ProbeDiskCommand.verdict(disk, List.of(trial(80_000), trial(900)))
                        .reason())
                .contains("0.9 us");
        assertThat(ProbeDiskCommand.verdict(noBarrier, List.of(trial(80_000))).reason())
                .contains("without barriers");
    }

    private static SyncTrial trial(long nanos) {
        Histogram durable = new Histogram(3);
        durable.recordValue(nanos);
        return new SyncTrial("direct", Optional.empty(), durable, new Histogram(3));
    }
}
