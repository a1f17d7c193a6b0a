package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import io.tallystick.narayana.drain.RecoverySettings;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The identifier with which Narayana marks the branches of this process. */
final class NarayanaNode {
    // What Narayana's own file and Spring Boot's starter say, and what Quarkus says, where no one is configured.
    private static final Set<String> DEFAULTS = Set.of("1", "quarkus");

    /** What goes into an Xid: Narayana recovers no branch of a node with a longer identifier. */
    static final int MAX_BYTES = 28;

    private static final System.Logger LOG = System.getLogger(TallystickObjectStore.class.getName());
    private static final ToldOnce TOLD = new ToldOnce();

    // A log there is found by its node alone, and every process that knows the server can open it.
    private static final Set<String> STORES_OF_A_NODE = Set.of("postgresql");

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

    /**
     * The configuration of a store that is found by its node alone, with that node: Narayana's identifier. The
     * configuration of another store as it is, with a warning where it lies in a directory and names another node.
     *
     * @throws IllegalArgumentException the node is not Narayana's identifier, or cannot be in an Xid
     */
    static StoreConfiguration checked(StoreConfiguration configuration) {
        if (configuration.isSet(StoreOption.NODE_POOL) && !configuration.isSet(StoreOption.NODE_ID)) {
            throw new IllegalArgumentException(StoreOption.NODE_POOL.key() + "="
                    + configuration.get(StoreOption.NODE_POOL) + ": here Narayana asks for its store after it has used"
                    + " its node identifier. Leave its class name of a store out, and call NarayanaStores.install"
                    + " before recovery and the first transaction, as the starters of Spring Boot and Quarkus do");
        }
        if (!STORES_OF_A_NODE.contains(configuration.get(StoreOption.STORE))) {
            warnOfAnotherNode(configuration);
            return configuration;
        }
        StoreConfiguration complete = applyTo(configuration);
        String store = StoreOption.STORE.key() + "=" + complete.get(StoreOption.STORE);
        String wanted = "; set CoreEnvironmentBean.nodeIdentifier to an id of 1 to " + MAX_BYTES
                + " bytes that this process alone has, and " + StoreOption.NODE_ID.key() + " to the same or not at all";
        String node = complete.find(StoreOption.NODE_ID)
                .orElseThrow(() -> new IllegalArgumentException(store + " needs a node, and Narayana's node identifier"
                        + identifier()
                                .map(text -> " is '" + text + "', a default")
                                .orElse(" is not set") + wanted));
        if (!identifier().equals(Optional.of(node))) {
            throw new IllegalArgumentException(store + ": " + StoreOption.NODE_ID.key() + "=" + node
                    + " is not Narayana's node identifier, which is '"
                    + identifier().orElse("") + "'. Recovery would not know the branches of its own log" + wanted);
        }
        checkLength(node);
        return complete;
    }

    // Nothing else would say it: the store compares its node with the setting alone.
    private static void warnOfAnotherNode(StoreConfiguration configuration) {
        Optional<String> node = configuration.find(StoreOption.NODE_ID);
        if (!StoreSettings.isInDirectory(configuration)
                || node.isEmpty()
                || identifier().isEmpty()
                || identifier().equals(node)) {
            return;
        }
        String text = "TALLY0505 " + StoreOption.NODE_ID.key() + "=" + node.get()
                + " is not Narayana's node identifier, which is '"
                + identifier().get() + "'. Recovery knows its branches by that identifier alone. So the store would not"
                + " refuse a process with another one, which leaves the branches of this one prepared. While no"
                + " transaction is in doubt, set Narayana's identifier to '" + node.get()
                + "' (CoreEnvironmentBean.nodeIdentifier, narayana.node-identifier,"
                + " quarkus.transaction-manager.node-name). For a new store leave " + StoreOption.NODE_ID.key()
                + " out: it becomes Narayana's";
        if (TOLD.isNew(text)) {
            LOG.log(System.Logger.Level.WARNING, text);
        }
    }

    /** @throws IllegalArgumentException the node is too long for an Xid */
    static void checkLength(String node) {
        int bytes = node.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("the node '" + node + "' has " + bytes + " bytes, and at most "
                    + MAX_BYTES + " fit into the identifier of a branch; choose a shorter one");
        }
    }

    /** Warns once if recovery of this process would judge the branches of another node. */
    static void warnOfForeignNodes() {
        List<String> foreign = RecoverySettings.recoveryNodes().stream()
                .filter(named -> !identifier().equals(Optional.of(named)))
                .toList();
        if (foreign.isEmpty() || identifier().isEmpty()) {
            return;
        }
        String text = "TALLY0420 JTAEnvironmentBean.xaRecoveryNodes names " + foreign
                + " beside or instead of this node, '" + identifier().get() + "'. Recovery of this process rolls back"
                + " branches of that node which have no record in the log of this one, also those that it has decided"
                + " to commit. Name this node alone. io.tallystick.narayana.RecoverNode recovers a dead node";
        if (TOLD.isNew(text)) {
            LOG.log(System.Logger.Level.WARNING, text);
        }
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
