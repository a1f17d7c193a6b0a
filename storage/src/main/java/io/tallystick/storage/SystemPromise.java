package io.tallystick.storage;

/** What a store does not promise, because the system cannot be asked for it; docs/durability.md has the texts. */
public final class SystemPromise {
    private static final String OF_WINDOWS =
            "on Windows a new directory and a deletion are not promised across a power cut";

    private SystemPromise() {}

    /** The end of the line that a store writes at its opening; empty where the system can be asked for everything. */
    public static String remark() {
        return remark(SystemRules.HERE);
    }

    /** The remark with a few words before it, which may be empty. */
    public static String remarkAfter(String words) {
        return joined(words, remark());
    }

    static String joined(String words, String remark) {
        return words.isEmpty() || remark.isEmpty() ? words + remark : words + "; " + remark;
    }

    static String remark(SystemRules rules) {
        return rules == SystemRules.WINDOWS ? OF_WINDOWS : "";
    }
}
