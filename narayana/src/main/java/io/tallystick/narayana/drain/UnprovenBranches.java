package io.tallystick.narayana.drain;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Counts the branches that recovery has left alone, in this process, because the log may have decided to commit them:
 * it could not be proven that the log is still its own, or the record was given up or forgotten. Narayana takes a scan
 * with such a branch for a complete one.
 */
public final class UnprovenBranches {
    private static final AtomicReference<Noted> LAST = new AtomicReference<>(new Noted(0, ""));

    private UnprovenBranches() {}

    /** So many so far, and why the last one. */
    private record Noted(long count, String reason) {}

    /** Counts one that was left alone for this reason. */
    public static void add(String reason) {
        LAST.updateAndGet(before -> new Noted(before.count + 1, reason));
    }

    /** Counts one that was left alone, because it is not proven for this reason that the log is this process' own. */
    public static void addUnowned(String reason) {
        add("it is not proven that the log is this process' own: " + reason);
    }

    /** How many so far. */
    static long count() {
        return LAST.get().count;
    }

    /** What is incomplete about a scan that began when there were so many; empty if nothing is. */
    static Optional<String> since(long before) {
        Noted now = LAST.get();
        return now.count == before ? Optional.empty() : Optional.of("a branch was left alone: " + now.reason);
    }
}
