package io.tallystick.tool;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.tool.command.NarayanaSettings;
import java.util.Optional;
import java.util.Set;

/**
 * The node with which a process opens its store in a directory. Without {@code tallystick.node-id} that is the
 * transaction manager's.
 *
 * @param key that names it
 * @param name of the node; empty if none is set
 */
record ProcessNode(String key, Optional<String> name) {
    // The frameworks' nodes where no one is configured; a store does not take such a one.
    private static final Set<String> DEFAULTS = Set.of("1", "quarkus");

    static ProcessNode of(
            StoreConfiguration configuration, NarayanaSettings narayana, Optional<FrameworkSettings> installing) {
        Optional<String> configured = configuration.find(StoreOption.NODE_ID);
        if (configured.isPresent()) {
            return new ProcessNode(StoreOption.NODE_ID.key(), configured);
        }
        Optional<String> byNarayana = narayana.nodeIdentifier();
        if (byNarayana.isPresent() || installing.isEmpty()) {
            return ofManager("CoreEnvironmentBean.nodeIdentifier", byNarayana);
        }
        FrameworkSettings settings = installing.get();
        return ofManager(settings.framework().nodeKey(), settings.node());
    }

    private static ProcessNode ofManager(String key, Optional<String> name) {
        return new ProcessNode(key, name.filter(node -> !DEFAULTS.contains(node)));
    }
}
