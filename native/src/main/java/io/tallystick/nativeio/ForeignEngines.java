package io.tallystick.nativeio;

import java.util.Optional;

/**
 * The engines that call the kernel through java.lang.foreign. This copy of the class is for JDKs without it. A jar that
 * was built with its JDK 22 part has another copy in {@code META-INF/versions/22}.
 */
final class ForeignEngines {
    private static final int FIRST_JDK = 22;

    private ForeignEngines() {}

    /** Why these engines do not work here; empty if they do. */
    static Optional<String> unavailableBecause() {
        int jdk = Runtime.version().feature();
        return Optional.of(
                jdk < FIRST_JDK
                        ? "it needs JDK " + FIRST_JDK + " or later and this is JDK " + jdk
                                + ". Run on a later JDK, or use tallystick.journal.io=direct"
                        : "tallystick-native is here without its JDK " + FIRST_JDK + " part: its jar was built by an"
                                + " earlier JDK, or its classes lie in a directory or in a jar that is not"
                                + " multi-release, where Java does not look for such parts. Use the jar itself, built"
                                + " by JDK " + FIRST_JDK + " or later, or tallystick.journal.io=direct");
    }

    static Engine aio() {
        throw new UnsupportedOperationException(unavailableBecause().orElseThrow());
    }

    static Engine uring() {
        throw new UnsupportedOperationException(unavailableBecause().orElseThrow());
    }
}
