package io.tallystick.store;

import io.tallystick.store.spi.TypeCounts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The part of a store that recovery uses. Reads and scans show forced effects only once a crash can no longer take them
 * back, and deferred effects of this process at once.
 *
 * <p><b>A lost log.</b> Once the store knows that another owner has its log, or that its directory is gone, another
 * process may have written decisions that are not in this one's memory. So the store says of no state any more that it
 * is not there: {@link #statusOf}, {@link #read} and {@link ParticipantStore#readShadow} throw {@link
 * StoreFencedException} or {@link StoreFailedException} where they would say so. What is known can be read and listed,
 * but {@link #types} and {@link #keys} may lack what the other process has written: ask {@link ObjectStore#failure}.
 * After a mere error of the disk all of them go on.
 */
public interface RecoveryStore {
    /** The type names that have at least one key, hidden ones included; a snapshot. */
    Set<String> types();

    /** The keys of exactly this type, in every status. A snapshot, in no order; empty for an unknown type. */
    List<StateKey> keys(String type);

    /**
     * At most this many of the keys of the type, any of them; otherwise as {@link #keys(String)}, which costs more.
     *
     * @throws IllegalArgumentException {@code atMost} is negative
     */
    default List<StateKey> keys(String type, int atMost) {
        return keys(type).stream().limit(atMost).toList();
    }

    /**
     * How many keys each type has, in every status; a snapshot without the types that have none. For health checks: a
     * store of this library keeps the counts and lists nothing. Operations in progress, and after a failure those of
     * unknown outcome, may be counted before {@link #keys} shows them, and a sum that is read beside them may be off by
     * as many. Once all have returned, the counts are exact. What must be certain that nothing is left lists the keys.
     */
    default Map<String, Integer> countByType() {
        return TypeCounts.listed(this);
    }

    /** Returns a copy of the committed value; empty where there is none or the key is hidden. */
    Optional<byte[]> read(StateKey key);

    /** The status of the key; never null. */
    StateStatus statusOf(StateKey key);

    /**
     * Hides the key from readers, on disk when it returns.
     *
     * @return true if the key exists
     */
    boolean hide(StateKey key);

    /**
     * Undoes {@link #hide}, on disk when it returns.
     *
     * @return true if the key exists
     */
    boolean reveal(StateKey key);
}
