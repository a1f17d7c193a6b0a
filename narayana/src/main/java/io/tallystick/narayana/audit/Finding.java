package io.tallystick.narayana.audit;

import java.util.Locale;

/**
 * One finding of an audit.
 *
 * @param kind what it is
 * @param text the branch or record, and what recovery will do with it; no control characters
 */
public record Finding(Kind kind, String text) {
    /** The findings, in the order of the report; docs/in-doubt.md has the proof of each. */
    public enum Kind {
        /** A second process works under the name of the node. */
        TWO_NODES("a second process works under this node's name, or a person ends branches at the resources: find out"
                + " before anything else, because recovery of one rolls back the other's branches"),
        /** A branch whose record recovery does not look for. */
        GIVEN_UP_BRANCH("recovery does not see the records of these branches, and leaves the branches alone: end each"
                + " with SettleBranch, as its decision says"),
        /** A branch whose record people have taken out of the log. */
        KEPT_ASIDE("the log has no record of these branches any more, but one was forgotten, or files were put aside:"
                + " find out what was decided. Recovery leaves a branch alone whose forgotten record is noted in the"
                + " log's quarantine or in tallystick.indoubt.keep-in, and rolls back all others: do not start the"
                + " node or RecoverNode where files were put aside, or a --keep-in of yours is not configured"),
        /** A record that recovery does not end. */
        NEEDS_A_PERSON("recovery does not end these: settle them with their resources"),
        /** A branch with a record. */
        DECIDED("recovery of the node carries out the decision; where it does not, it does not ask this resource. With"
                + " decision=parent it waits for the transaction manager of the parent, which 'tallystick show' names."
                + " With decision=unknown the record does not tell: let recovery of the application itself find out"),
        /** A branch with a record in which its resource has answered the outcome with an error. */
        NOT_RETRIED("the resource has answered the outcome with an error, and still has the branch. Recovery does not"
                + " try again: end each with SettleBranch, as its decision says, before its record is forgotten"),
        /** A branch of the node without a record. */
        ORPHAN("recovery of the node rolls these back"),
        /** A record without its branch. */
        BRANCH_GONE("no resource that was asked has the branch: it has ended, or its resource was not asked"),
        /** A record that no look can prove to be done. */
        UNPROVEN("a participant of these has no Xid that can be read, so no audit tells whether it has ended: let"
                + " recovery end them, and do not forget their records. With state=not-decoded it is an LRA: its"
                + " coordinator ends it"),
        /** A branch of another node. */
        FOREIGN("only the log of that node can tell: audit it there"),
        /** A branch of another transaction manager. */
        UNKNOWN_FORMAT("recovery leaves these alone for ever: ask the transaction manager that has made them");

        private final String meaning;

        Kind(String meaning) {
            this.meaning = meaning;
        }

        /** What follows from it, for people. */
        public String meaning() {
            return meaning;
        }

        /** One word for people. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Whether something of the audited node is in doubt. */
        public boolean isOfNode() {
            return this != FOREIGN && this != UNKNOWN_FORMAT;
        }
    }
}
