package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.NarayanaSettings;
import io.tallystick.tool.command.NarayanaSettings.Role;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What {@code doctor} says about Narayana: the classes of its roles, its node, and settings that no class reads. */
final class RolesReport {
    private final NarayanaSettings narayana;
    private final Optional<FrameworkSettings> installing;
    private final Optional<Framework> framework;
    private final List<String> problems;
    private final List<String> warnings;

    /** @param installing the framework that installs the store; empty where Narayana's own settings name it */
    RolesReport(
            NarayanaSettings narayana,
            Optional<FrameworkSettings> installing,
            List<String> problems,
            List<String> warnings) {
        this.narayana = narayana;
        this.installing = installing;
        this.framework = installing.map(FrameworkSettings::framework);
        this.problems = problems;
        this.warnings = warnings;
    }

    private String storeClass(Role role) {
        String byNarayana = narayana.storeClass(role);
        return framework.map(each -> each.served(byNarayana)).orElse(byNarayana);
    }

    /** Reports the class of each role. */
    void reportRoles(List<String> lines, JsonObject answer) {
        framework.ifPresent(each -> {
            answer.add("framework", each.toString());
            lines.add(DoctorCommand.text("%-20s %s, which installs the store", "framework", each.title()));
        });
        Map<Role, String> classes = new EnumMap<>(Role.class);
        JsonObject roles = Json.object();
        for (Role role : Role.values()) {
            classes.put(role, storeClass(role));
            roles.add(role.title(), classes.get(role));
            StoreClasses.objection(classes.get(role)).ifPresent(why -> problems.add(role.title() + ": " + why));
            lines.add(DoctorCommand.text("%-20s %s", role.title(), classes.get(role)));
        }
        answer.add("roles", roles);
        long ours = classes.values().stream()
                .filter(NarayanaSettings.OUR_CLASS::equals)
                .count();
        if (ours == 0) {
            warnings.add(
                    "no role of Narayana is served by Tallystick: set -DObjectStoreEnvironmentBean.objectStoreType="
                            + NarayanaSettings.OUR_CLASS);
        } else if (ours < classes.size()) {
            classes.forEach((role, type) -> {
                if (!type.equals(NarayanaSettings.OUR_CLASS)) {
                    warnings.add("the " + role.title() + " stays with " + type + ": set ObjectStoreEnvironmentBean."
                            + role.bean() + "objectStoreType, too, unless this is intended");
                }
            });
        }
        narayana.misnamed()
                .forEach(key -> problems.add("no class reads " + key
                        + ": the log's bean has no name; write ObjectStoreEnvironmentBean.objectStoreType"));
    }

    /** Reports the node. A framework sets it, from a key of its own. */
    void reportNode(List<String> lines, JsonObject answer) {
        String node = narayana.nodeIdentifier().orElse("");
        if (node.isEmpty() && installing.isPresent()) {
            reportNode(installing.get(), lines, answer);
            return;
        }
        answer.add("nodeIdentifier", node);
        lines.add(DoctorCommand.text("%-20s %s", "nodeIdentifier", node.isEmpty() ? "not set" : node));
        if (node.isEmpty() || node.equals("1")) {
            warnings.add("CoreEnvironmentBean.nodeIdentifier is "
                    + (node.isEmpty() ? "not set" : "1, as in the file that narayana-jta has")
                    + ": two nodes that share a resource must differ, and a node must keep it"
                    + " over restarts");
        }
        if (!node.isEmpty()
                && !narayana.recoveryNodes().contains(node)
                && !narayana.recoveryNodes().contains("*")) {
            warnings.add("JTAEnvironmentBean.xaRecoveryNodes " + narayana.recoveryNodes() + " does not name the node "
                    + node + ": branches without a record are never rolled back");
        }
    }

    private void reportNode(FrameworkSettings settings, List<String> lines, JsonObject answer) {
        String key = settings.framework().nodeKey();
        answer.add("nodeIdentifier", settings.node().orElse(""));
        String said;
        if (settings.writtenNode().isPresent()) {
            said = settings.node().map(node -> Escaped.of(node) + ", ").orElse("") + "set from " + key;
        } else if (settings.file().isEmpty()) {
            said = "not known: give --properties with the file that has " + key;
        } else {
            said = "not set";
            warnings.add(key + " is not set: two nodes that share a resource must differ, and a node must keep it over"
                    + " restarts");
        }
        lines.add(DoctorCommand.text("%-20s %s", "nodeIdentifier", said));
    }

    /** Reports settings of a store that no role uses: Narayana starts its default store then, without a warning. */
    void reportUnread(StoreConfiguration given) {
        List<String> keys = StoreOption.all().stream()
                .filter(given::isSet)
                .map(StoreOption::key)
                .sorted()
                .toList();
        boolean isUsed =
                Arrays.stream(Role.values()).anyMatch(role -> storeClass(role).equals(NarayanaSettings.OUR_CLASS));
        if (!keys.isEmpty() && !isUsed) {
            problems.add(String.join(", ", keys) + (keys.size() == 1 ? " is" : " are")
                    + " set, but no role of Narayana is served by Tallystick, so no class reads these settings: set"
                    + " objectStoreType of ObjectStoreEnvironmentBean, of its stateStore and of its"
                    + " communicationStore to " + NarayanaSettings.OUR_CLASS
                    + "; in an application with Tallystick's part for Spring Boot or Quarkus give --framework instead");
        }
    }
}
