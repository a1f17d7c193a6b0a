package io.tallystick.tool.command;

import io.tallystick.store.spi.StateImage;
import java.util.Arrays;

/** Comparison and size of the states of a key. */
public final class StateImages {
    private StateImages() {}

    /** Whether both values are equal, byte by byte, and both states are hidden or both are not. */
    public static boolean same(StateImage one, StateImage other) {
        return one.isHidden() == other.isHidden()
                && Arrays.equals(one.committed(), other.committed())
                && Arrays.equals(one.shadow(), other.shadow());
    }

    /** The bytes of the larger one of both values: a store bounds each. */
    public static int largestValue(StateImage image) {
        return Math.max(length(image.committed()), length(image.shadow()));
    }

    private static int length(byte[] valueOrNull) {
        return valueOrNull == null ? 0 : valueOrNull.length;
    }
}
