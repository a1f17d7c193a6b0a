package io.tallystick.tool.narayana;

/** The bytes do not have Narayana's layout; the message has the place and the reason. */
public final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
        // A search makes one for every offset at which it fails, so it has no stack trace.
        super(message, null, false, false);
    }
}
