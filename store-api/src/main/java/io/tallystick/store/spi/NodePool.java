package io.tallystick.store.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The nodes of a pool as their server knows them. A process takes one of them by opening its log, which decides among
 * those that want it. What is told here only says which one to try.
 *
 * <p>Each call asks the server anew, and may be made by any thread.
 */
public interface NodePool {
    /** How a node is, in the order in which a process that starts tries them. */
    enum State {
        /** Its log is not closed, and the server has heard nothing of its owner for a lease. */
        GONE,
        /** Its log is closed. */
        CLEAN,
        /** It was never used. */
        NEW,
        /** Another process that starts is taking its log. */
        BEING_TAKEN,
        /** A process that recovers its log has it. */
        ADOPTED,
        /** Its owner lives; nobody else tries. */
        LIVING
    }

    /**
     * A node of the pool.
     *
     * @param node its id
     * @param state how it is
     * @param epoch of its log's last owner, 0 for a log that is new; whoever takes the log raises it
     * @param ownerless since when nobody has the log, as far as processes of the pool have looked; empty unless it is
     *     gone or clean
     * @param isFinished a recovery has found the last owner's branches finished at every resource; a log that is
     *     closed may have prepared branches without a record otherwise
     * @param owner the last owner of the log, for people
     */
    record Member(
            String node, State state, long epoch, Optional<Duration> ownerless, boolean isFinished, String owner) {
        @Override
        public String toString() {
            return node + " " + state.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-')
                    + ownerless
                            .map(time -> " ownerless=" + time.toSeconds() + "s")
                            .orElse("")
                    + (owner.isEmpty() ? "" : " (" + owner + ")");
        }
    }

    /**
     * What a look has found.
     *
     * @param members all nodes of the pool, in the order in which a process that starts tries them
     * @param foreign why the pool is another's, or a log of its names is not the pool's; empty if it is whole
     */
    record Look(List<Member> members, Optional<String> foreign) {
        public Look {
            members = List.copyOf(members);
        }
    }

    /**
     * Looks at all nodes, and notes which of them have no owner.
     *
     * @throws io.tallystick.store.StoreException the server cannot be asked, or lacks what a pool needs
     */
    Look look();

    /**
     * Notes that a node belongs to this pool, before its log is made.
     *
     * @return whether it does: another application may have been faster
     * @throws io.tallystick.store.StoreException the server cannot be asked
     */
    boolean reserve(String node);

    /**
     * Asks to be the one process of the pool that recovers this node now. The answer holds for a time; it does not
     * keep anybody from the log.
     *
     * @param pause how long no other process gets the same answer
     * @throws io.tallystick.store.StoreException the server cannot be asked
     */
    boolean claimRecovery(Member member, Duration pause);

    /**
     * Notes that a recovery which began with this member, and has closed its log, has found nothing left anywhere. It
     * notes nothing where the log has had another owner since.
     *
     * @throws io.tallystick.store.StoreException the server cannot be asked
     */
    void noteFinished(Member recovered);

    /** The number in the id of a pool's node, such as 3 in {@code orders-3}; 0 for what is no id of that pool. */
    static int numberOf(String pool, String node) {
        String number = node.startsWith(pool + '-') ? node.substring(pool.length() + 1) : "";
        return number.matches("[1-9][0-9]{0,2}") ? Integer.parseInt(number) : 0;
    }

    /** Whether the node has been given a number within the bound of the pool. */
    boolean isWithinBound(String node);
}
