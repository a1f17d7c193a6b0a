package io.tallystick.store.log;

import io.tallystick.store.StateStatus;
import io.tallystick.store.log.spi.Version;

/** The version of a key that readers see: the newest one that is on disk, or whose writer did not ask for that. */
final class Visibility {
    private Visibility() {}

    /** The newest version that readers may see, from the latest one backwards; null if there is none. */
    static Version visible(Version latest) {
        Version version = latest;
        while (version != null && !version.isVisible()) {
            Version before = version.beforeWhatIsHidden();
            // A version that succeeds lets go of the one before it, after it has become visible.
            if (before == null && version.isVisible()) {
                return version;
            }
            version = before;
        }
        return version;
    }

    /** What readers find under a key whose latest version this is; null for no version. */
    static StateStatus statusOf(Version latest) {
        Version version = visible(latest);
        return version == null ? StateStatus.ABSENT : version.status();
    }
}
