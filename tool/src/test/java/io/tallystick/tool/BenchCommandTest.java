package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.JsonValue;
import io.tallystick.tool.command.ExitStatus;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The measurement leaves nothing behind and touches no store. */
class BenchCommandTest {
    @TempDir
    Path root;

    @ParameterizedTest
    @EnumSource
    void everyKindOfStoreIsMeasuredAndDeleted(TestStores.Kind kind) {
        JsonValue measurements = ToolRun.of(
                        "bench",
                        "--json",
                        "--store",
                        kind == TestStores.Kind.FILE ? "file" : "journal",
                        "-Dtallystick.journal.engine=" + (kind == TestStores.Kind.ARTEMIS ? "artemis" : "segmented"),
                        "-Dtallystick.journal.segment-size=4MiB",
                        "-Dtallystick.journal.io=channel",
                        "--threads",
                        "1,3",
                        "--millis",
                        "20",
                        root)
                .endsWith(ExitStatus.OK)
                .json()
                .get("measurements");

        assertThat(measurements.asArray()).hasSize(2).allSatisfy(each -> assertThat(
                        each.asObject().getLong("commitsPerSecond", 0))
                .isPositive());
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aStoreIsNoPlaceToMeasureIn() throws Exception {
        Path store = TestStores.filled(TestStores.Kind.FILE, root.resolve("tx"));
        Map<String, String> before = TestStores.snapshot(store);

        assertThat(ToolRun.of("bench", store).endsWith(ExitStatus.REFUSED).err())
                .contains("is a store");
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @Test
    void aWrongKeyLeavesNothingBehind() {
        assertThat(ToolRun.of("bench", "-Dtallystick.jurnal.io=direct", root)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("tallystick.journal.io");
        assertThat(root).isEmptyDirectory();
    }
}
