package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.JsonObject;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What {@code doctor --framework} says of an application's own settings. */
class DoctorOfFrameworksTest {
    private static final String KEY = "narayana.node-identifier";

    @TempDir
    Path root;

    @Test
    void aStoreOfAnotherNodeIsAProblemWithAFrameworkToo() throws IOException {
        Path store = storeOf("bank");
        for (String[] framework :
                new String[][] {{"spring-boot", KEY}, {"quarkus", "quarkus.transaction-manager.node-name"}}) {
            Path other = file(framework[1] + "=bank2");
            assertThat(ToolRun.of("doctor", "--framework", framework[0], "--properties", other, store)
                            .endsWith(ExitStatus.NEGATIVE)
                            .lines())
                    .contains("nodeIdentifier       bank2, set from " + framework[1])
                    .anyMatch(line -> line.startsWith("problem              " + framework[1]
                            + "=bank2, but the store belongs to node bank: is the right volume"));
            ToolRun.of("doctor", "--framework", framework[0], "--properties", file(framework[1] + "=bank"), store)
                    .endsWith(ExitStatus.OK);
        }
        assertThat(ToolRun.of("doctor", "-DCoreEnvironmentBean.nodeIdentifier=bank2", store)
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("CoreEnvironmentBean.nodeIdentifier=bank2, but the store belongs to node bank");
    }

    @Test
    void aNodeThatNobodySetIsNotCalledSet() throws IOException {
        Path store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));

        assertThat(ToolRun.of("doctor", "--framework", "spring-boot", "--properties", file(""), store)
                        .lines())
                .contains("nodeIdentifier       not set")
                .anyMatch(line -> line.startsWith("warning              " + KEY + " is not set: two nodes"));
        assertThat(ToolRun.of("doctor", "--framework", "quarkus", store).out())
                .contains("nodeIdentifier       not known", "quarkus.transaction-manager.node-name")
                .doesNotContain("set from");
    }

    @Test
    void theEnvironmentOfTheApplicationNamesItsNodeToo() throws IOException {
        Path store = storeOf("bank");
        for (String variable : new String[] {"NARAYANA_NODE_IDENTIFIER", "NARAYANA_NODEIDENTIFIER"}) {
            StringWriter out = new StringWriter();
            CommandLine tool = Main.commandLine();
            ((DoctorCommand) tool.getSubcommands().get("doctor").getCommand()).setVariables(Map.of(variable, "bank2"));

            int status = tool.setOut(new PrintWriter(out, true))
                    .execute("doctor", "--framework", "spring-boot", store.toString());

            assertThat(status).as(out.toString()).isEqualTo(ExitStatus.NEGATIVE.code());
            assertThat(out.toString()).contains(KEY + "=bank2, but the store belongs to node bank");
        }
    }

    @Test
    void aFileOfAnyNameIsTheFrameworksAndItsLogDirectoryHasTheStore() throws IOException {
        Path store = TestStores.filled(Kind.SEGMENTED, root.resolve("logs/TallystickObjectStore"));
        Path file = file(KEY + "=bank\nnarayana.log-dir=" + root.resolve("logs"));

        assertThat(ToolRun.of("doctor", "--framework", "spring-boot", "--properties", file)
                        .endsWith(ExitStatus.OK)
                        .lines())
                .contains("directory            " + store)
                .anyMatch(line -> line.startsWith("found                journal-segmented-v1"));
    }

    @Test
    void theVersionsThatAReportOfADefectNeedsAreThere() {
        ToolRun run = ToolRun.of("doctor", TestStores.filled(Kind.SEGMENTED, root.resolve("tx")));
        assertThat(run.lines())
                .contains("tallystick           (not from a jar)")
                .anyMatch(line -> line.startsWith(
                        "java                 " + Runtime.version().feature() + "."))
                .anyMatch(line -> line.startsWith("system               " + System.getProperty("os.name") + " ")
                        && line.endsWith(System.getProperty("os.arch")));
        JsonObject answer = ToolRun.of("doctor", "--json", root.resolve("tx")).json();
        assertThat(answer.getString("java", "")).contains(System.getProperty("java.vendor"));
        assertThat(answer.getString("tallystick", "")).isNotEmpty();
        assertThat(answer.getString("system", "")).isNotEmpty();
    }

    private Path storeOf(String node) {
        Path store = root.resolve("tx-" + node);
        ObjectStores.open(Kind.SEGMENTED.in(store).toBuilder()
                        .set(StoreOption.NODE_ID, node)
                        .build())
                .close();
        return store;
    }

    private Path file(String text) throws IOException {
        return Files.writeString(root.resolve("e.properties"), text);
    }
}
