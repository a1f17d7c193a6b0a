package io.tallystick.narayana.settle;

/** A person may not settle a transaction so. The message says why, and that nothing was changed, or what to look at. */
public final class SettlingRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SettlingRefusedException(String why) {
        super(why);
    }

    SettlingRefusedException(String why, Throwable cause) {
        super(why, cause);
    }
}
