package io.tallystick.testkit.oracle;

import io.tallystick.store.StateStatus;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * What a key should hold: a value that shares nothing with the stores' code. Equal if the bytes are.
 *
 * @param committed the committed value, or null
 * @param shadow the shadow value, or null
 * @param hidden whether readers are refused the values; false where there are none
 */
public record ModelImage(byte[] committed, byte[] shadow, boolean hidden) {
    public static final ModelImage ABSENT = new ModelImage(null, null, false);

    public ModelImage {
        hidden = hidden && (committed != null || shadow != null);
    }

    public boolean isAbsent() {
        return committed == null && shadow == null;
    }

    public StateStatus status() {
        if (isAbsent()) {
            return StateStatus.ABSENT;
        }
        if (shadow != null) {
            return hidden ? StateStatus.SHADOW_HIDDEN : StateStatus.SHADOW;
        }
        return hidden ? StateStatus.COMMITTED_HIDDEN : StateStatus.COMMITTED;
    }

    /** What a reader sees of the committed value; null for nothing. */
    public byte[] readable() {
        return hidden ? null : committed;
    }

    /** What a reader sees of the shadow value; null for nothing. */
    public byte[] readableShadow() {
        return hidden ? null : shadow;
    }

    long bytes() {
        return (committed == null ? 0L : committed.length) + (shadow == null ? 0L : shadow.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ModelImage that
                && hidden == that.hidden
                && Arrays.equals(committed, that.committed)
                && Arrays.equals(shadow, that.shadow);
    }

    // Lengths tell values apart well enough for a hash, and sweeps look up millions of them.
    @Override
    public int hashCode() {
        return Objects.hash(hidden, committed == null ? -1 : committed.length, shadow == null ? -1 : shadow.length);
    }

    /** Status, and length and checksum of the values. */
    @Override
    public String toString() {
        return status() + "(committed=" + shown(committed) + " shadow=" + shown(shadow) + ")";
    }

    public static String shown(byte[] value) {
        if (value == null) {
            return "none";
        }
        CRC32 crc = new CRC32();
        crc.update(value);
        return value.length + "B#" + Long.toHexString(crc.getValue());
    }
}
