package io.tallystick.tool.transfer;

import io.tallystick.store.spi.StateImage;
import java.util.Arrays;

/** Comparison of states. */
final class StateImages {
    private StateImages() {}

    /** Whether both values and the hiding are the same. */
    static boolean same(StateImage one, StateImage other) {
        return one.isHidden() == other.isHidden()
                && Arrays.equals(one.committed(), other.committed())
                && Arrays.equals(one.shadow(), other.shadow());
    }
}
