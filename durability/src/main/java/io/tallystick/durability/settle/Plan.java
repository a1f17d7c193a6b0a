package io.tallystick.durability.settle;

import java.util.List;
import java.util.Random;
import javax.transaction.xa.XAException;

/**
 * What happens to one transaction of a node before the node dies.
 *
 * @param label its name
 * @param fate how it ends
 * @param resources the number of its resources
 * @param at the resource that is the cause, from 0
 * @param code the answer of that resource, an XA error code; 0 for none
 * @param isRestSilent whether the resources after that one do not answer the commit
 */
record Plan(String label, Fate fate, int resources, int at, int code, boolean isRestSilent) {
    private static final List<Integer> HEURISTICS = List.of(
            XAException.XA_HEURCOM,
            XAException.XA_HEURRB,
            XAException.XA_HEURMIX,
            XAException.XA_HEURHAZ,
            // After these the branch is as it was: PostgreSQL's driver answers XAER_RMERR so.
            XAException.XAER_RMERR,
            XAException.XAER_RMERR,
            XAException.XAER_INVAL,
            XAException.XAER_PROTO);

    /** How a transaction ends in the process of its node. */
    enum Fate {
        /** It is committed everywhere. */
        CLEAN,
        /** It is decided, and a resource and all after it do not answer. */
        SILENT,
        /** All of its resources are prepared, and the node dies before it decides. */
        ORPHAN,
        /** A resource answers the commit with an error. */
        HEURISTIC,
        /** As SILENT; and then the expiry scanner has given up its record. */
        GIVEN_UP,
        /** As SILENT; and then nothing can read its record to the end. */
        UNREADABLE,
        /** The last resource refuses to prepare, and another one answers the rollback with an error. */
        ABORTED,
        /** Another node has begun it; it is prepared here, and its parent has not decided. */
        IMPORTED
    }

    /** Any plan. */
    static Plan of(Random random, String label, int mostResources) {
        Fate[] fates = Fate.values();
        Fate fate = fates[random.nextInt(fates.length)];
        int resources = 2 + random.nextInt(mostResources - 1);
        int at = random.nextInt(fate == Fate.ABORTED ? resources - 1 : resources);
        int code =
                switch (fate) {
                    case HEURISTIC -> HEURISTICS.get(random.nextInt(HEURISTICS.size()));
                    case ABORTED -> random.nextBoolean() ? XAException.XAER_RMFAIL : XAException.XAER_RMERR;
                    default -> 0;
                };
        return new Plan(label, fate, resources, at, code, random.nextBoolean());
    }

    /**
     * Whether Narayana rolls back although all resources are prepared: the first one seems to have rolled back, and no
     * other one was told the outcome yet (BasicAction.phase2Commit, XAResourceRecord.topLevelCommit, 7.3.4).
     */
    boolean turnsRound() {
        return fate == Fate.HEURISTIC
                && at == 0
                && (code == XAException.XA_HEURRB || code == XAException.XAER_RMERR || code == XAException.XAER_PROTO);
    }

    /**
     * Whether the record may not tell what was decided: recovery makes the same record of a rolled back transaction
     * whose resource has answered with an error, and of a committed one with a hazard.
     */
    boolean isHazard() {
        return fate == Fate.ABORTED
                || fate == Fate.HEURISTIC
                        && (code == XAException.XAER_INVAL
                                || code == XAException.XA_HEURMIX
                                || code == XAException.XA_HEURHAZ);
    }

    /** For the line of an order; without blanks. */
    String text() {
        return String.join(
                ",",
                label,
                fate.name(),
                String.valueOf(resources),
                String.valueOf(at),
                String.valueOf(code),
                String.valueOf(isRestSilent));
    }

    static Plan parse(String text) {
        String[] parts = text.split(",");
        return new Plan(
                parts[0],
                Fate.valueOf(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]),
                Integer.parseInt(parts[4]),
                Boolean.parseBoolean(parts[5]));
    }
}
