package io.tallystick.narayana;

import io.tallystick.storage.ChildJvm;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A node of Narayana that is killed at a point of a transaction, in a directory that has its log in {@code store} and
 * the branches of its resources in {@code resources}; and the programs that deal with what it has left.
 */
final class KilledNode {
    private final Path directory;
    private final String id;

    KilledNode(Path directory, String id) {
        this.directory = directory;
        this.id = id;
    }

    Path resources() {
        return directory.resolve("resources");
    }

    /** Runs the node until it dies there. */
    void kill(Map<String, String> ofStore, CrashPoint point) {
        Map<String, String> properties = NarayanaProcess.properties(ofStore, directory.resolve("store"));
        properties.put("tallystick.node-id", id);
        properties.put("CoreEnvironmentBean.nodeIdentifier", id);
        properties.put("JTAEnvironmentBean.xaRecoveryNodes", id);
        ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(
                        CrashingProcess.STATUS,
                        point.event(),
                        String.valueOf(point.times()),
                        resources().resolve(point.name()).toString());
    }

    /** A program for a person, with the settings of the log, and of a recovery that does not wait. */
    ChildJvm program(Class<?> program, Map<String, String> ofStore, String... more) {
        Map<String, String> properties = new LinkedHashMap<>(ofStore);
        properties.put("tallystick.directory", directory.resolve("store").toString());
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "0");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        return ChildJvm.of(program).in(directory).withProperties(properties);
    }
}
