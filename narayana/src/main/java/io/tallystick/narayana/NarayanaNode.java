package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.util.Optional;
import java.util.Set;

/** The identifier with which Narayana marks the branches of this process. */
final class NarayanaNode {
    // What Narayana's own file and Spring Boot's starter say, and what Quarkus says, where no one is configured.
    private static final Set<String> DEFAULTS = Set.of("1", "quarkus");

    private NarayanaNode() {}

    /** The identifier; empty where there is none yet. */
    static Optional<String> identifier() {
        return Optional.ofNullable(arjPropertyManager.getCoreEnvironmentBean().getNodeIdentifier())
                .filter(identifier -> !identifier.isBlank());
    }

    /** The identifier, unless it is one of the defaults. */
    static Optional<String> chosen() {
        return identifier().filter(identifier -> !DEFAULTS.contains(identifier));
    }

    /** The configuration with Narayana's identifier as its node, where it has none and the identifier can be one. */
    static StoreConfiguration applyTo(StoreConfiguration configuration) {
        if (configuration.isSet(StoreOption.NODE_ID)) {
            return configuration;
        }
        return chosen().filter(NarayanaNode::canBeNode)
                .map(node ->
                        configuration.toBuilder().set(StoreOption.NODE_ID, node).build())
                .orElse(configuration);
    }

    private static boolean canBeNode(String identifier) {
        try {
            StoreOption.NODE_ID.parse(identifier);
            return true;
        } catch (IllegalArgumentException otherCharacters) {
            return false;
        }
    }
}
