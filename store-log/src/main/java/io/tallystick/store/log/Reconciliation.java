package io.tallystick.store.log;

import io.tallystick.store.StateKey;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.spi.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a store that has failed knew, beside what its log has now. The store has ended its writes, and nothing of it can
 * reach the log any more.
 *
 * <p>A key of the failed store has a chain of versions, from the latest one down to the last that is known to be in the
 * log. Each version above that one failed: its callers heard that nothing was written, or that the outcome is unknown.
 * The log has to have the lowest version, or one of those whose outcome is unknown. Anything else is a loss.
 *
 * <pre>
 *   C   deferred, its call has returned     readers see C          the log has A: C is written again
 *   B   outcome unknown                     its caller was told    the log has B: B was written
 *   A   known to be in the log                                     the log has none of the three: a loss
 * </pre>
 */
public final class Reconciliation {
    /** What became of the operations on one key whose outcome was unknown. */
    enum Outcome {
        /** All were written. */
        WRITTEN,
        /** None was written, and none will be. */
        NOT_WRITTEN,
        /** Some were, so one of their callers does not know about its own. */
        MIXED
    }

    private final Map<StateKey, Outcome> outcomes = new HashMap<>();
    private final Set<StateKey> compared = new HashSet<>();
    private final Set<StateKey> madeByUnknown = new HashSet<>();
    private final Map<StateKey, Version> seen = new LinkedHashMap<>();
    private @Nullable StateKey lost;

    private Reconciliation() {}

    /**
     * Compares. Each key is read under its lock: the batch of a caller may be in the log before the index shows its
     * version.
     *
     * @param failed the index of the failed store
     * @param found the latest version of each key in the log
     * @param repeated keys whose deferred changes an earlier try to serve again may have written
     */
    static Reconciliation of(
            ConcurrentHashMap<StateKey, Version> failed, Map<StateKey, Version> found, Set<StateKey> repeated) {
        Reconciliation result = new Reconciliation();
        Set<StateKey> keys = new HashSet<>(failed.keySet());
        keys.addAll(found.keySet());
        for (StateKey key : keys) {
            failed.compute(key, (same, latest) -> {
                Version there = found.get(key);
                if (latest != null) {
                    result.compare(key, latest, there, repeated.contains(key));
                } else if (there != null) { // a deferred removal that readers have seen
                    result.seen.put(key, null);
                }
                return latest;
            });
        }
        result.compared.addAll(keys);
        return result;
    }

    private void compare(StateKey key, Version latest, @Nullable Version there, boolean isRepeated) {
        List<PendingAppend> unsure = new ArrayList<>();
        Version known = latest;
        while (known instanceof PendingAppend append && append.isFailed()) {
            unsure.add(append);
            known = append.previous();
        }
        int match = 0;
        while (match < unsure.size()
                && !(mayBeThere(unsure.get(match), isRepeated) && isSame(unsure.get(match), there))) {
            match++;
        }
        // No lowest version: a deferred removal may have taken it from the index, and not from the log.
        if (match == unsure.size() && known != null && !isSame(known, there)) {
            lost = key;
            return;
        }
        Version visible = Visibility.visible(latest);
        addOutcome(key, unsure, match, visible);
        int visibleAt = visible == null ? -1 : unsure.indexOf(visible);
        boolean isNewerThere = match < unsure.size() && (visibleAt < 0 || match <= visibleAt);
        if (!isNewerThere && !isSame(visible, there)) {
            seen.put(key, visible);
        }
    }

    private static boolean mayBeThere(PendingAppend append, boolean isRepeated) {
        return append.isUnknown() || isRepeated && append.isVisible();
    }

    private void addOutcome(StateKey key, List<PendingAppend> unsure, int match, @Nullable Version visible) {
        int told = 0;
        int written = 0;
        for (int i = 0; i < unsure.size(); i++) {
            PendingAppend append = unsure.get(i);
            if (append.isUnknown() && !append.isCarried() && !append.isVisible()) {
                told++;
                written += i >= match ? 1 : 0; // below what the log has: it was superseded
            }
        }
        if (told > 0) {
            outcomes.put(key, written == told ? Outcome.WRITTEN : written == 0 ? Outcome.NOT_WRITTEN : Outcome.MIXED);
        }
        if (written > 0
                && (visible == null || visible.isTombstone())
                && !unsure.get(match).isTombstone()) {
            madeByUnknown.add(key);
        }
    }

    private static boolean isSame(@Nullable Version known, @Nullable Version there) {
        if (known == null || known.isTombstone()) {
            return there == null;
        }
        return there != null && known.flags() == there.flags() && Arrays.equals(known.record(), there.record());
    }

    /** A key whose acknowledged version the log lacks; empty if it lacks none. */
    public Optional<StateKey> lost() {
        return Optional.ofNullable(lost);
    }

    /**
     * What became of an operation on this key whose outcome was unknown. Where a later version of the key has landed,
     * the operation is taken for written: that version may hold what it has written.
     */
    Outcome outcomeOf(StateKey key) {
        return outcomes.getOrDefault(key, compared.contains(key) ? Outcome.WRITTEN : Outcome.NOT_WRITTEN);
    }

    /** Keys that held nothing, and hold what an operation of unknown outcome has written. */
    Set<StateKey> madeByUnknown() {
        return madeByUnknown;
    }

    /** What readers of the failed store saw and the log lacks, deferred each; null for a removal. */
    Map<StateKey, Version> seen() {
        return seen;
    }

    /** How many keys had operations whose outcome was unknown, and of how many of them something was written. */
    @Override
    public String toString() {
        long written = outcomes.values().stream()
                .filter(outcome -> outcome != Outcome.NOT_WRITTEN)
                .count();
        return outcomes.size() + " keys had writes of unknown outcome, " + written + " of them were written, and "
                + seen.size() + " deferred changes are repeated";
    }
}
