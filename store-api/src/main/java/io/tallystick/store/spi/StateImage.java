package io.tallystick.store.spi;

import io.tallystick.store.StateStatus;
import java.util.Objects;

/**
 * All that a store holds for one key, as one immutable value: the committed value, the shadow value, and whether the
 * key is hidden. Every store keeps and writes whole images. So the table of moves in {@link StateStatus} stands in
 * code here alone. A record on disk never depends on an earlier one.
 *
 * <p>A move that changes nothing returns {@code this}; a store then has nothing to write. The arrays are shared, not
 * copied: the code that takes them from a caller or gives them to one copies.
 */
public final class StateImage {
    /** The image of a key of which the store knows nothing. */
    public static final StateImage ABSENT = new StateImage(null, null, false);

    private final byte[] committed;
    private final byte[] shadow;
    private final boolean hidden;

    private StateImage(byte[] committed, byte[] shadow, boolean hidden) {
        this.committed = committed;
        this.shadow = shadow;
        this.hidden = hidden;
    }

    /** The image of these values, each of which may be null; {@link #ABSENT} where both are. */
    public static StateImage of(byte[] committed, byte[] shadow, boolean hidden) {
        return committed == null && shadow == null ? ABSENT : new StateImage(committed, shadow, hidden);
    }

    /** The committed value, or null. */
    public byte[] committed() {
        return committed;
    }

    /** The shadow value, or null. */
    public byte[] shadow() {
        return shadow;
    }

    /** Whether readers are refused the values. */
    public boolean isHidden() {
        return hidden;
    }

    /** Whether the store knows nothing of the key. */
    public boolean isAbsent() {
        return committed == null && shadow == null;
    }

    /** The status in the table of moves. */
    public StateStatus status() {
        if (shadow != null) {
            return hidden ? StateStatus.SHADOW_HIDDEN : StateStatus.SHADOW;
        }
        if (committed != null) {
            return hidden ? StateStatus.COMMITTED_HIDDEN : StateStatus.COMMITTED;
        }
        return StateStatus.ABSENT;
    }

    /** State bytes in both values. */
    public long bytes() {
        return (committed == null ? 0L : committed.length) + (shadow == null ? 0L : shadow.length);
    }

    /** After {@code write}. */
    public StateImage write(byte[] state) {
        return new StateImage(Objects.requireNonNull(state), shadow, hidden);
    }

    /** After {@code remove}; this where there is no committed value. */
    public StateImage remove() {
        return committed == null ? this : of(null, shadow, hidden);
    }

    /** After {@code writeShadow}. */
    public StateImage writeShadow(byte[] state) {
        return new StateImage(committed, Objects.requireNonNull(state), hidden);
    }

    /** After {@code commitShadow}; this where there is no shadow. */
    public StateImage commitShadow() {
        return shadow == null ? this : new StateImage(shadow, null, hidden);
    }

    /** After {@code discardShadow}; this where there is no shadow. */
    public StateImage discardShadow() {
        return shadow == null ? this : of(committed, null, hidden);
    }

    /** After {@code hide}; this where there is nothing to hide or it is hidden. */
    public StateImage hide() {
        return hidden || isAbsent() ? this : new StateImage(committed, shadow, true);
    }

    /** After {@code reveal}; this where it is not hidden. */
    public StateImage reveal() {
        return hidden ? new StateImage(committed, shadow, false) : this;
    }
}
