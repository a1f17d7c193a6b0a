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
        /** A record that recovery does not end. */
        NEEDS_A_PERSON("recovery does not end these: settle them with their resources"),
        /** A branch with a record. */
        DECIDED("recovery of the node carries out the decision; where it does not, it does not ask this resource"),
        /** A branch of the node without a record. */
        ORPHAN("recovery of the node rolls these back"),
        /** A record without its branch. */
        BRANCH_GONE("no resource that was asked has the branch: it has ended, or its resource was not asked"),
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
