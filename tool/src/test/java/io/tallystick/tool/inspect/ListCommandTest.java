package io.tallystick.tool.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.JsonObject;
import io.tallystick.store.StateKey;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What can be looked at in a store, and that looking changes nothing. */
class ListCommandTest {
    private static final String INSPECTABLE = "io.tallystick.tool.TestStores#inspectable";

    @TempDir
    Path root;

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void everyKeyIsListedOnceInOrderAndSafeForATerminal(Kind kind) {
        Path store = TestStores.filled(kind, root.resolve("tx"));

        assertThat(ToolRun.of("list", store).endsWith(ExitStatus.OK).lines())
                .containsExactly(
                        "COMMITTED        -              -         7  /Shop/\\u001b[31mrot\\u005c:0c01",
                        "SHADOW           -              -         6  /Shop/Order:0b01",
                        "COMMITTED_HIDDEN -              -         6  /Shop/Order:0b02",
                        "SHADOW_HIDDEN    -              -        13  /Shop/Order:0b03",
                        "COMMITTED        unreadable     -        18  " + TestStores.UID,
                        "COMMITTED        -              -         5  " + TestStores.PLAIN,
                        "COMMITTED        -              -         7  " + TestStores.SECOND);
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void lookingChangesNothing(Kind kind) throws IOException {
        Path store = TestStores.filled(kind, root.resolve("tx"));
        Map<String, String> before = TestStores.snapshot(store);

        for (String command : List.of("list", "stat", "export")) {
            ToolRun.of(command, store).endsWith(ExitStatus.OK);
        }
        ToolRun.of("show", store, TestStores.PLAIN).endsWith(ExitStatus.OK);

        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @Test
    void filtersNarrowTheList() {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));

        assertThat(ToolRun.of("list", "--type", "/Shop", store).lines()).hasSize(4);
        assertThat(ToolRun.of("list", "--type", "/Sho", store).lines()).isEmpty();
        assertThat(ToolRun.of("list", "--type", "/Shop/\\u001b[31mrot\\u005c", store)
                        .lines())
                .hasSize(1);
        assertThat(ToolRun.of("list", "--status", "shadow,SHADOW_HIDDEN", store).lines())
                .hasSize(2);
        assertThat(ToolRun.of("list", "--limit", "3", store).lines()).hasSize(3);
        ToolRun.of("list", "--status", "gone", store).endsWith(ExitStatus.USAGE);
    }

    @Test
    void programsGetOneObject() {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));

        JsonObject answer =
                ToolRun.of("list", "--json", store).endsWith(ExitStatus.OK).json();

        List<StateKey> keys = answer.get("keys").asArray().values().stream()
                .map(each -> StateKey.parse(each.asObject().getString("key", "")))
                .toList();
        assertThat(keys).containsExactlyInAnyOrderElementsOf(TestStores.keys());
        assertThat(answer.toString()).contains("\"uid\":\"0:-80ffffff:-1235:6566a5e2:12\"");
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void whatIsWholeOfADamagedStoreIsListedAndTheDamageTold(Kind kind) throws IOException {
        Path store = TestStores.filled(kind, root.resolve("tx"));
        TestStores.damage(store, "second");

        ToolRun run = ToolRun.of("list", store).endsWith(ExitStatus.NEGATIVE);

        assertThat(run.err()).contains("tallystick verify", "offset=");
        assertThat(run.lines()).hasSizeLessThan(TestStores.keys().size());
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void aStateIsShownAsDigitsAndNeverRaw(Kind kind) {
        Path store = TestStores.filled(kind, root.resolve("tx"));

        ToolRun run = ToolRun.of("show", store, TestStores.SECOND).endsWith(ExitStatus.OK);

        assertThat(run.out())
                .contains("status     COMMITTED", "committed  7 bytes", "73 65 63 6f 6e 64 07", "|second.|")
                .doesNotContain("\u0007");
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void hiddenValuesAndShadowsAreShown(Kind kind) {
        Path store = TestStores.filled(kind, root.resolve("tx"));

        assertThat(ToolRun.of("show", store, "0b03").endsWith(ExitStatus.OK).out())
                .contains("SHADOW_HIDDEN", "|committed|", "shadow     4 bytes", "|next|");
    }

    @Test
    void aKeyCanBeGivenAsItIsPrinted() {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));

        for (String line : ToolRun.of("list", store).lines()) {
            ToolRun.of("show", store, line.substring(line.indexOf('/'))).endsWith(ExitStatus.OK);
        }
    }

    @Test
    void aStateOfNarayanaIsFoundByItsUidAndDecoded() {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));

        assertThat(ToolRun.of("show", store, "0:-80ffffff:-1235:6566a5e2:12")
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("uid        0:-80ffffff", "decoded", "size");
        assertThat(ToolRun.of("show", "--json", store, TestStores.UID)
                        .endsWith(ExitStatus.OK)
                        .json()
                        .toString())
                .contains("\"decoded\":{");
    }

    @Test
    void aKeyThatIsNotThereIsANo() {
        Path store = TestStores.filled(Kind.FILE, root.resolve("tx"));

        assertThat(ToolRun.of("show", store, "/Shop/Order:ff")
                        .endsWith(ExitStatus.NEGATIVE)
                        .err())
                .contains("/Shop/Order:ff", "tallystick list");
        ToolRun.of("show", store, "no key").endsWith(ExitStatus.USAGE);
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void statCountsRecordsTypesAndFiles(Kind kind) {
        Path store = TestStores.filled(kind, root.resolve("tx"));

        JsonObject answer =
                ToolRun.of("stat", "--json", store).endsWith(ExitStatus.OK).json();

        assertThat(answer.getLong("records", 0)).isEqualTo(TestStores.keys().size());
        assertThat(answer.getLong("bytes", 0)).isEqualTo(5 + 7 + 18 + 6 + 6 + 13 + 7);
        assertThat(answer.get("types").asObject().names()).hasSize(3);
        assertThat(answer.get("files").asObject().names()).contains("data", "identity", "lock", "owner");
        assertThat(answer.getLong("freeBytes", 0)).isPositive();
        assertThat(answer.getLong("damages", 1)).isZero();
        assertThat(ToolRun.of("stat", store).endsWith(ExitStatus.OK).out())
                .contains("in use       no", "7 with 62 bytes", answer.getString("id", "?"));
    }
}
