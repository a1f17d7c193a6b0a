package io.tallystick.spring.boot;

/** The application cannot start with Tallystick. Carries what the failure analysis prints. */
final class StartRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private static final String SHORT = " Tallystick keeps the application from starting; the cause of this says why";

    private final String reason;
    private final String remedy;

    /** @param cause an exception whose message has the reason, or null */
    StartRefusedException(String reason, String remedy, Throwable cause) {
        // Spring puts the message into those of other exceptions. With a cause it is short: the failure analysis has
        // the text, and the stack of the cause where there is no analysis.
        super(cause == null ? reason + "; " + remedy : numberOf(reason) + SHORT, cause);
        this.reason = reason;
        this.remedy = remedy;
    }

    private static String numberOf(String reason) {
        return reason.split(" ", 2)[0];
    }

    /** What was found and where, with its number. */
    String reason() {
        return reason;
    }

    /** What to do. */
    String remedy() {
        return remedy;
    }
}
