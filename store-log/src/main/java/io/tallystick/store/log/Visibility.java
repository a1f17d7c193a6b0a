package io.tallystick.store.log;

import io.tallystick.store.StateStatus;
import io.tallystick.store.log.spi.Version;
import org.jspecify.annotations.Nullable;

/** Finds the version of a key that readers see: the newest one that is on disk, or was written deferred. */
final class Visibility {
    private Visibility() {}

    /** The newest version that readers may see, from the latest one backwards; null if there is none. */
    static @Nullable Version visible(@Nullable Version latest) {
        Version version = latest;
        while (version != null && !version.isVisible()) {
            Version before = version.beforeWhatIsHidden();
            // A version that succeeds becomes visible, and then drops the one before it.
            if (before == null && version.isVisible()) {
                return version;
            }
            version = before;
        }
        return version;
    }

    /** The status that readers see of a key with this latest version; null for no version. */
    static StateStatus statusOf(@Nullable Version latest) {
        Version version = visible(latest);
        return version == null ? StateStatus.ABSENT : version.status();
    }
}
