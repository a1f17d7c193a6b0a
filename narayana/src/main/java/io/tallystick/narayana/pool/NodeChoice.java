package io.tallystick.narayana.pool;

import com.arjuna.ats.arjuna.coordinator.TxControl;
import io.tallystick.narayana.drain.ActiveActions;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import io.tallystick.store.spi.NodePool;
import io.tallystick.store.spi.NodePool.Member;
import io.tallystick.store.spi.NodePool.State;
import io.tallystick.store.spi.RemoteLogs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Takes one node of a pool: tries one after the other in the order of {@link State}, until the log of one of them is
 * open. The opening itself decides among processes that want the same node, so nothing is locked here.
 *
 * <p>Narayana has the node's identifier before the log is opened. It is used with the first transaction, which comes
 * later. Recovery judges the branches of no node until the log is open: where it runs too early, over another log, it
 * would know nothing of what this node has decided.
 */
public final class NodeChoice {
    private static final System.Logger LOG = System.getLogger(NodeChoice.class.getName());

    private final StoreConfiguration wanted;
    private final NodePool pool;
    private final Refusal refusal;
    // What could not be opened, for the message of a start that finds no node.
    private final List<String> unusable = new ArrayList<>();
    private final List<StoreException> reasons = new ArrayList<>();

    /** Makes the exception of a refused start. */
    public interface Refusal {
        /** The exception with this number, reason and remedy. */
        RuntimeException of(String messageId, String reason, String remedy);
    }

    NodeChoice(StoreConfiguration wanted, NodePool pool, Refusal refusal) {
        this.wanted = wanted;
        this.pool = pool;
        this.refusal = refusal;
    }

    /**
     * The choice that the configuration asks for.
     *
     * @param chosen the node that Narayana has by its own settings; empty if that is a default
     * @throws IllegalArgumentException settings contradict each other, or the store has no pools
     */
    public static NodeChoice of(StoreConfiguration wanted, Optional<String> chosen, Refusal refusal) {
        String name = wanted.get(StoreOption.NODE_POOL);
        String key = StoreOption.NODE_POOL.key() + "=" + name;
        if (wanted.isSet(StoreOption.NODE_ID)) {
            throw new IllegalArgumentException(key + " and " + StoreOption.NODE_ID.key() + "="
                    + wanted.get(StoreOption.NODE_ID) + " contradict each other; set one of them");
        }
        // The node of an earlier store of this process may be there still.
        chosen.filter(node -> NodePool.numberOf(name, node) == 0).ifPresent(node -> {
            throw new IllegalArgumentException(key + ", and Narayana's node identifier was set to '" + node
                    + "'; leave it out (CoreEnvironmentBean.nodeIdentifier, narayana.node-identifier,"
                    + " quarkus.transaction-manager.node-name): the pool gives one");
        });
        if (wanted.get(StoreOption.TAKEOVER) != Takeover.AFTER_LEASE) {
            throw new IllegalArgumentException(key + " needs " + StoreOption.TAKEOVER.key()
                    + "=after-lease, its default: otherwise a start would take the node of a process that lives, or"
                    + " none that is gone");
        }
        if (wanted.get(StoreOption.EXPECT_EXISTING)) {
            throw new IllegalArgumentException(key + " and " + StoreOption.EXPECT_EXISTING.key()
                    + "=true contradict each other: a pool makes logs");
        }
        wanted.find(StoreOption.NODE_POOL_RECOVER_WITH).ifPresent(RecoveryChild::check);
        return new NodeChoice(wanted, poolOf(wanted), refusal);
    }

    private static NodePool poolOf(StoreConfiguration wanted) {
        String store = wanted.get(StoreOption.STORE);
        try {
            return RemoteLogs.of(store).pool(wanted);
        } catch (IllegalArgumentException none) {
            throw new IllegalArgumentException(
                    StoreOption.NODE_POOL.key() + "=" + wanted.get(StoreOption.NODE_POOL) + " with "
                            + StoreOption.STORE.key() + "=" + store + ": " + none.getMessage(),
                    none);
        }
    }

    /** The pool, to look at it later. */
    public NodePool pool() {
        return pool;
    }

    /** Says once more which node this process has: a framework sets its default at the start of each context. */
    public static void keep(String node) {
        NodeIdentity.of(node).apply();
    }

    /**
     * Takes a node.
     *
     * @param opening opens and installs the log of the configuration's node
     * @throws StoreException the pool cannot be asked
     * @throws RuntimeException every node of the pool is taken, the pool is another application's, or this process has
     *     begun a transaction; Narayana's node is what it was before
     */
    public <T> T take(Function<StoreConfiguration, T> opening) {
        int begun = ActiveActions.count().orElse(0);
        if (begun > 0) {
            throw refusal.of(
                    "TALLY0413",
                    begun + " transactions of this process are open, and have another node than the pool "
                            + wanted.get(StoreOption.NODE_POOL) + " would give",
                    "install the store before the first transaction begins");
        }
        NodeIdentity before = NodeIdentity.current();
        boolean isTaken = false;
        try {
            T taken = firstThatOpens(opening);
            isTaken = true;
            return taken;
        } finally {
            if (!isTaken) {
                before.apply();
            }
        }
    }

    private <T> T firstThatOpens(Function<StoreConfiguration, T> opening) {
        Set<String> tried = new TreeSet<>();
        while (true) {
            NodePool.Look look = pool.look();
            look.foreign().ifPresent(why -> {
                throw refusal.of(
                        "TALLY0437",
                        why,
                        "use another " + StoreOption.NODE_POOL.key() + " or " + StoreOption.POSTGRESQL_SCHEMA.key()
                                + "; docs/node-pool.md says how a log of that name is recovered and deleted");
            });
            Member next = look.members().stream()
                    .filter(member -> member.state() != State.LIVING)
                    .filter(member -> pool.isWithinBound(member.node()) && !tried.contains(member.node()))
                    .findFirst()
                    .orElseThrow(() -> usedUp(look));
            tried.add(next.node());
            if (pool.reserve(next.node())) {
                Optional<T> opened = tryToOpen(next, opening);
                if (opened.isPresent()) {
                    return opened.get();
                }
            }
        }
    }

    private <T> Optional<T> tryToOpen(Member member, Function<StoreConfiguration, T> opening) {
        NodeIdentity.thatJudgesNobody(member.node()).apply();
        // Only a log that looks as if nobody had it is worth waiting for.
        boolean isWorthWaiting = member.state() != State.CLEAN && member.state() != State.NEW;
        T opened;
        try {
            opened = opening.apply(wanted.toBuilder()
                    .set(StoreOption.NODE_ID, member.node())
                    .set(StoreOption.TAKEOVER, isWorthWaiting ? Takeover.AFTER_LEASE : Takeover.NEVER)
                    .build());
        } catch (StoreLockedException taken) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    () -> "the node " + member + " was taken by another process: " + taken.getMessage());
            return Optional.empty();
        } catch (StoreException refused) {
            unusable.add(member.node() + ": " + refused.messageId() + " " + refused.getMessage());
            reasons.add(refused);
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0433 the log of " + member + " cannot be opened, and this start goes on with another node of"
                            + " the pool. Nobody recovers that log before this is mended: " + refused.messageId() + " "
                            + refused.getMessage());
            return Optional.empty();
        }
        keep(member.node());
        // Not before: its first use may write to the store.
        TxControl.setXANodeName(member.node());
        LOG.log(System.Logger.Level.INFO, "TALLY0431 this process is a node of the pool: " + member);
        return Optional.of(opened);
    }

    private RuntimeException usedUp(NodePool.Look look) {
        String nodes = look.members().stream().map(Member::toString).collect(Collectors.joining(", "));
        RuntimeException refused = refusal.of(
                "TALLY0432",
                "every node of the pool " + wanted.get(StoreOption.NODE_POOL) + " is taken, "
                        + StoreOption.NODE_POOL_SIZE.key() + "=" + wanted.get(StoreOption.NODE_POOL_SIZE) + ": "
                        + nodes
                        + (unusable.isEmpty() ? "" : "; logs that cannot be opened: " + String.join("; ", unusable)),
                "end a process that has one, or raise " + StoreOption.NODE_POOL_SIZE.key());
        reasons.forEach(refused::addSuppressed);
        return refused;
    }
}
