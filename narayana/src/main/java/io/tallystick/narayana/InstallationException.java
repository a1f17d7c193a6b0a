package io.tallystick.narayana;

/**
 * A store was not opened for Narayana, or not installed in it. The message has the number under which
 * docs/troubleshooting.md has it, the reason, and the remedy. No old log was changed. A store
 * that the call had opened is closed again.
 */
public final class InstallationException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String messageId;
    private final String reason;
    private final String remedy;

    InstallationException(String messageId, String reason, String remedy) {
        super(messageId + " " + reason + "; " + remedy);
        this.messageId = messageId;
        this.reason = reason;
        this.remedy = remedy;
    }

    /** The number of the message, such as {@code TALLY0413}. */
    public String messageId() {
        return messageId;
    }

    /** What was found, without the number. */
    public String reason() {
        return reason;
    }

    /** What to do. */
    public String remedy() {
        return remedy;
    }
}
