package io.tallystick.store.spi;

/** The text of a message about the cause of a failure, also where the cause itself throws. */
public final class CauseText {
    private CauseText() {}

    /** The cause's own text; its class if that text cannot be made, for example because there is no memory. */
    public static String of(Throwable cause) {
        try {
            return String.valueOf(cause);
        } catch (RuntimeException | Error indescribable) {
            return cause.getClass().getName();
        }
    }
}
