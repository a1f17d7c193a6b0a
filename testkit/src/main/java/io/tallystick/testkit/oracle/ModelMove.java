package io.tallystick.testkit.oracle;

/** The operations that change a key, with their expected effect. */
public enum ModelMove {
    WRITE,
    REMOVE,
    WRITE_SHADOW,
    COMMIT_SHADOW,
    DISCARD_SHADOW,
    HIDE,
    REVEAL;

    /** The image after the move; {@code state} is the value that a write brings. */
    public ModelImage after(ModelImage before, byte[] state) {
        return switch (this) {
            case WRITE -> new ModelImage(state, before.shadow(), before.hidden());
            case REMOVE -> new ModelImage(null, before.shadow(), before.hidden());
            case WRITE_SHADOW -> new ModelImage(before.committed(), state, before.hidden());
            case COMMIT_SHADOW ->
                before.shadow() == null ? before : new ModelImage(before.shadow(), null, before.hidden());
            case DISCARD_SHADOW -> new ModelImage(before.committed(), null, before.hidden());
            case HIDE -> new ModelImage(before.committed(), before.shadow(), true);
            case REVEAL -> new ModelImage(before.committed(), before.shadow(), false);
        };
    }

    /** The operation's answer; true for a void operation. */
    boolean answer(ModelImage before) {
        return switch (this) {
            case WRITE, WRITE_SHADOW -> true;
            case REMOVE -> before.committed() != null;
            case COMMIT_SHADOW, DISCARD_SHADOW -> before.shadow() != null;
            case HIDE, REVEAL -> !before.isAbsent();
        };
    }
}
