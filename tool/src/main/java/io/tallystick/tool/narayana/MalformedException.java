package io.tallystick.tool.narayana;

/** Bytes that Narayana does not write; the message has the place and the reason. */
public final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
        // One is made for every offset at which a search fails: no stack trace.
        super(message, null, false, false);
    }
}
