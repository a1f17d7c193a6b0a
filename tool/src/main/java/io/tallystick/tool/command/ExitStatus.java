package io.tallystick.tool.command;

/**
 * The status that the process returns to its caller. docs/tool.md has the table; a test compares it with these
 * constants.
 */
public enum ExitStatus {
    /** Done, and no problem was found. */
    OK(0, "done, and no problem was found"),
    /** Done, and the answer is no: damage, a key that is not there, an export that is cut off. */
    NEGATIVE(1, "the answer is no: damage, a key that is not there, an export that is cut off"),
    /** The command line is wrong. */
    USAGE(2, "the command line is wrong; nothing was done"),
    /** The store is open in another process. */
    IN_USE(3, "the store is in use; the message names the process"),
    /** There is no store where one was expected. */
    NO_STORE(4, "there is no store in the directory"),
    /** The disk, the system or the program failed. */
    FAILED(5, "an I/O error, no permission, an unknown format, or another failure"),
    /** Going on would overwrite or lose something, or is not safe; nothing was changed. */
    REFUSED(6, "going on would overwrite or lose something, or is not safe; nothing was changed");

    private final int code;
    private final String meaning;

    ExitStatus(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    /** The number that the process ends with. */
    public int code() {
        return code;
    }

    /** The meaning, for people. */
    public String meaning() {
        return meaning;
    }
}
