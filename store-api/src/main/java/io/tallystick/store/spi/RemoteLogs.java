package io.tallystick.store.spi;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.services.NamedServices;
import io.tallystick.store.services.NamedServices.Search;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Looks at the logs of one kind of store that lie on another machine, and prepares them; found by {@link
 * java.util.ServiceLoader}. The configuration names the server and the node, with the keys that open such a store.
 *
 * <p>{@link #inspect}, {@link #examine} and {@link #missing} only read. They take no log over, wait for no owner, and
 * delay no owner.
 */
public interface RemoteLogs {
    /** The value of {@code tallystick.store}. */
    String store();

    /**
     * Reads the log of a node as it is at one moment. Memory is in proportion to the rows of the log and the bytes of
     * its records. Damage is no error here.
     *
     * @return empty if the server has no log of this node
     * @throws IllegalArgumentException a key is missing or wrong
     * @throws io.tallystick.store.UnsupportedFormatException the tables are missing, or have another format
     * @throws io.tallystick.store.StoreIoException the server cannot be asked
     */
    Optional<StoreInspection> inspect(StoreConfiguration configuration);

    /**
     * Reports about the server and the log, for a person who looks for the reason of a problem. A server that cannot be
     * asked is a problem of the report, and not an error.
     *
     * @throws IllegalArgumentException a key is missing or wrong
     */
    ServerReport examine(StoreConfiguration configuration);

    /**
     * The statements that an administrator runs before the first opening, in their order.
     *
     * @param schema of the tables
     * @param user whom the statements let use them; empty for the user that runs them
     */
    List<String> statements(String schema, Optional<String> user);

    /**
     * What the server lacks of these statements, a line each; empty if a store can be opened there.
     *
     * @throws IllegalArgumentException a key is missing or wrong
     * @throws io.tallystick.store.StoreIoException the server cannot be asked
     */
    List<String> missing(StoreConfiguration configuration);

    /**
     * The losses of a node that were marked and that no person has accepted, the oldest first. Only reads.
     *
     * @throws IllegalArgumentException a key is missing or wrong
     * @throws io.tallystick.store.StoreIoException the server cannot be asked
     */
    List<NoticedLoss> losses(StoreConfiguration configuration);

    /**
     * Accepts losses that {@link #losses} has named, so that a process opens the log again. The marks stay on the
     * server, with the time, the reason and the user.
     *
     * @param reason why, for people
     * @param user who accepts them, for people
     * @throws io.tallystick.store.StoreLockedException the log has an owner that lives
     * @throws io.tallystick.store.StoreIoException the server cannot be asked, or one of them is not there any more
     */
    void acceptLosses(StoreConfiguration configuration, List<NoticedLoss> losses, String reason, String user);

    /**
     * A log that is made out of reach and becomes the log of the node in one step. The node may have a log already;
     * {@link StagedLog#publish} finds that out.
     *
     * @throws IllegalArgumentException a key is missing or wrong
     */
    StagedLog stage(StoreConfiguration configuration);

    /**
     * The pool that {@link StoreOption#NODE_POOL} names.
     *
     * @throws IllegalArgumentException this kind of store has no pools, or a key is missing or wrong
     */
    default NodePool pool(StoreConfiguration configuration) {
        throw new IllegalArgumentException(StoreOption.STORE.key() + "=" + store() + " has no pools of nodes; leave "
                + StoreOption.NODE_POOL.key() + " out");
    }

    /**
     * The logs of this kind of store.
     *
     * @param store the value of {@code tallystick.store}
     * @throws IllegalArgumentException the library for it is missing; the message names it
     */
    static RemoteLogs of(String store) {
        NamedServices<RemoteLogs> found = NamedServices.upTo(
                store,
                "a remote log",
                new Search<>(RemoteLogs.class.getClassLoader(), loader -> ServiceLoader.load(RemoteLogs.class, loader)),
                RemoteLogs::store);
        return found.named(store)
                .orElseThrow(() -> new IllegalArgumentException("there is no library for " + StoreOption.STORE.key()
                        + "=" + store + " on the class path; add io.tallystick:tallystick-store-" + store
                        + found.unusableSuffix()));
    }
}
