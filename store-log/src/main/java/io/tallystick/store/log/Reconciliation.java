package io.tallystick.store.log;

import io.tallystick.store.StateKey;
import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.spi.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
    // Of the appends whose outcome was unknown those that are neither in the log, nor below a version that is.
    private final Set<PendingAppend> notWritten = new HashSet<>();
    private int keys;
    private int writtenKeys;
    private final Set<StateKey> madeByUnknown = new HashSet<>();
    private final Map<StateKey, Version> seen = new LinkedHashMap<>();
    private @Nullable StateKey lost;

    private Reconciliation() {}

    /**
     * Compares.
     *
     * @param failed the index of the failed store, which changes no more
     * @param found the latest version of each key in the log
     * @param repeated keys whose deferred changes an earlier try to serve again may have written
     */
    static Reconciliation of(Map<StateKey, Version> failed, Map<StateKey, Version> found, Set<StateKey> repeated) {
        Reconciliation result = new Reconciliation();
        failed.forEach((key, latest) -> result.compare(key, latest, found.get(key), repeated.contains(key)));
        for (StateKey key : found.keySet()) {
            if (!failed.containsKey(key)) { // a deferred removal that readers have seen
                result.seen.put(key, null);
            }
        }
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
                if (i >= match) { // below what the log has: it was superseded
                    written++;
                } else {
                    notWritten.add(append);
                }
            }
        }
        keys += told > 0 ? 1 : 0;
        writtenKeys += written > 0 ? 1 : 0;
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
     * Whether an append whose outcome was unknown was written. One that a later version of its key has superseded in
     * the log counts as written: that version, or whoever made it, may have relied on it.
     */
    boolean isWritten(PendingAppend append) {
        return !notWritten.contains(append);
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
        return keys + " keys had writes of unknown outcome, " + writtenKeys + " of them were written, and "
                + seen.size() + " deferred changes are repeated";
    }
}
