package io.tallystick.narayana;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The system properties of a process that uses Narayana with our store in all three roles. */
final class NarayanaProcess {
    /** What the three roles are called in a key: nothing, and the names of the other two. */
    static final List<String> ROLES = List.of("", "stateStore.", "communicationStore.");

    private NarayanaProcess() {}

    static Map<String, String> properties(Map<String, String> ofStore, Path directory) {
        Map<String, String> properties = new LinkedHashMap<>(ofStore);
        properties.put("tallystick.directory", directory.toString());
        for (String role : ROLES) {
            properties.put(
                    "ObjectStoreEnvironmentBean." + role + "objectStoreType", TallystickObjectStore.class.getName());
        }
        properties.put("JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", NamedResources.class.getName());
        // A branch without a log record is rolled back by the first scan instead of after 20 seconds.
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "0");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        return properties;
    }
}
