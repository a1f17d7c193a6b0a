package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manifest in docs/kubernetes.md, as far as it is a process' environment. */
class ManifestTest {
    private static final Pattern VARIABLE =
            Pattern.compile("- name: ([A-Z_]+)[^\\n]*\\n\\s+(?:value: \"?((?<=\")[^\"]+|[^\\s\"]+)\"?|valueFrom: )");

    @TempDir
    private Path directory;

    @Test
    void theVariablesOfTheManifestPutAllThreeRolesOnOurStore() throws IOException {
        Map<String, String> variables = variablesOfTheManifest();
        Path store = Path.of(variables.get("TALLYSTICK_DIRECTORY"));

        String printed = ChildJvm.of(RolesProcess.class)
                .in(directory)
                .withVariables(variables)
                .withProperties(Map.of(
                        "ObjectStoreEnvironmentBean.objectStoreDir",
                        directory.resolve("default").toString()))
                .endsWith(0, directory.resolve("resources").toString());

        for (String role : new String[] {"log", "states", "messages"}) {
            assertThat(printed).contains(role + ": TallystickObjectStore writes=4 " + store.toRealPath());
        }
        assertThat(store.resolve("tallystick.node")).content().contains("orders-0");
    }

    @Test
    void theVariablesOfTheDeploymentAreSettingsOfAPool() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "kubernetes.md"));
        String manifest = page.substring(page.indexOf("kind: Deployment"));
        Map<String, String> variables = new LinkedHashMap<>();
        Matcher matcher = VARIABLE.matcher(manifest.substring(0, manifest.indexOf("```")));
        while (matcher.find()) {
            variables.put(matcher.group(1), matcher.group(2));
        }

        assertThat(variables.remove("TALLYSTICK_DRAIN_ON_SHUTDOWN"))
                .as("the starters'")
                .isEqualTo("true");
        StoreConfiguration read =
                StoreConfiguration.builder().withVariables(variables).build();

        assertThat(read.find(StoreOption.NODE_POOL)).hasValue("orders");
        assertThat(read.get(StoreOption.STORE)).isEqualTo("postgresql");
        assertThat(variables).containsKeys("TALLYSTICK_NODE_POOL_SIZE", "TALLYSTICK_NODE_POOL_RECOVER_WITH");
    }

    private Map<String, String> variablesOfTheManifest() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "kubernetes.md"));
        String manifest = page.substring(page.indexOf("```yaml"), page.indexOf("```\n", page.indexOf("```yaml") + 7));
        Map<String, String> variables = new LinkedHashMap<>();
        Matcher matcher = VARIABLE.matcher(manifest);
        while (matcher.find()) {
            String value = matcher.group(2) == null ? "orders-0" : matcher.group(2);
            variables.put(
                    matcher.group(1),
                    value.replace("/var/lib/tx", directory.resolve("volume").toString())
                            .replace("$(TALLYSTICK_NODE_ID)", variables.getOrDefault("TALLYSTICK_NODE_ID", "unknown")));
        }
        assertThat(variables).hasSizeGreaterThan(3).containsKey("TALLYSTICK_DIRECTORY");
        assertThat(variables.get("JAVA_TOOL_OPTIONS"))
                .contains("nodeIdentifier=orders-0", "xaRecoveryNodes=orders-0")
                .doesNotContain("$(");
        return variables;
    }
}
