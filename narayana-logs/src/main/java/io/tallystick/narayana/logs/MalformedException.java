package io.tallystick.narayana.logs;

/** The bytes do not have Narayana's layout; the message has the place and the reason. */
public final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    /** Bytes that are wrong in this way. */
    public MalformedException(String message) {
        // One is made for every offset at which a search fails: no stack trace.
        super(message, null, false, false);
    }
}
