package io.tallystick.quarkus;

import io.quarkus.runtime.annotations.ConfigGroup;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** What the extension adds to an application, decided when the application is built. */
@ConfigRoot(phase = ConfigPhase.BUILD_TIME)
@ConfigMapping(prefix = StoreSettings.PREFIX_NAME)
public interface TallystickBuildTimeConfig {
    /** The checks of the store's health. */
    Part health();

    /** The store's metrics. */
    Part metrics();

    /** A part of the extension. */
    @ConfigGroup
    interface Part {
        /** Whether the application has it, where the extension that it needs is there. */
        @WithDefault("true")
        boolean enabled();
    }
}
