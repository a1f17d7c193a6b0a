package io.tallystick.testkit.oracle;

import io.tallystick.store.StateStatus;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * The expected image of a key; it shares no code with the stores. Two images are equal if their bytes are.
 *
 * @param committed the committed value, or null
 * @param shadow the shadow value, or null
 * @param hidden whether readers are refused the values; false if there are none
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

    /** The committed value that a reader sees; null for none. */
    public byte[] readable() {
        return hidden ? null : committed;
    }

    /** The shadow value that a reader sees; null for none. */
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

    // Sweeps look up millions of images, and lengths distinguish values well enough for a hash.
    @Override
    public int hashCode() {
        return Objects.hash(hidden, committed == null ? -1 : committed.length, shadow == null ? -1 : shadow.length);
    }

    /** The status, and the length and checksum of each value. */
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
