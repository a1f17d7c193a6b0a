package io.tallystick.spring.boot;

/** The application cannot start with Tallystick. Carries what the failure analysis prints. */
final class StartRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String reason;
    private final String remedy;

    StartRefusedException(String reason, String remedy, Throwable cause) {
        super(reason + "; " + remedy, cause);
        this.reason = reason;
        this.remedy = remedy;
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
