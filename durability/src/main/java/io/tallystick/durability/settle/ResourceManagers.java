package io.tallystick.durability.settle;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.transaction.xa.XAResource;

/** The resource managers of a history, whose branches survive every process. */
interface ResourceManagers extends AutoCloseable {
    /** The state of a branch. */
    enum State {
        PREPARED,
        COMMITTED,
        ROLLED_BACK
    }

    /**
     * A branch.
     *
     * @param label the name of its transaction
     * @param resource the name of its resource manager
     */
    record Place(String label, String resource) {
        @Override
        public String toString() {
            return label + "@" + resource;
        }
    }

    /**
     * What stands at a place.
     *
     * @param state the state
     * @param xid the Xid; empty where only its end is known
     */
    record Seen(State state, Optional<BranchXid> xid) {}

    /** The names of all. */
    List<String> names();

    /** The helpers of the commands that ask them all, as arguments. */
    List<String> helpers();

    /**
     * All branches that stand at them.
     *
     * @param labels the names of the transactions, by their Uids in hexadecimal digits
     */
    Map<Place, Seen> branches(Map<String, String> labels) throws IOException;

    /** Has a branch prepared that no process of the node has made. */
    void prepare(String resource, BranchXid xid, String label) throws IOException;

    /** Whether one can be made to give no answer. */
    boolean canBeDown();

    /** Has one give no answer, or answer again. */
    void setDown(String resource, boolean isDown) throws IOException;

    /** Returns when no resource works for a process any more that was killed. */
    void awaitEndOfKilled() throws IOException, InterruptedException;

    @Override
    void close() throws IOException;

    /** Gives the resources of transactions in the process of the node. */
    @FunctionalInterface
    interface Participants {
        /** One at the resource manager of this name, for the transaction with this label. */
        Participant of(String resource, String label) throws Exception;
    }

    /**
     * A participant of a transaction.
     *
     * @param resource is enlisted
     * @param work is done after that
     */
    record Participant(XAResource resource, Callable<?> work) {}
}
