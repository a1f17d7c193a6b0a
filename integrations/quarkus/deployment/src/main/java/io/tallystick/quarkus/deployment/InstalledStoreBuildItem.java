package io.tallystick.quarkus.deployment;

import io.quarkus.builder.item.SimpleBuildItem;
import io.quarkus.runtime.RuntimeValue;
import io.tallystick.quarkus.InstalledStore;

/** The place of the store, which is empty until the application runs. */
final class InstalledStoreBuildItem extends SimpleBuildItem {
    private final RuntimeValue<InstalledStore> place;

    InstalledStoreBuildItem(RuntimeValue<InstalledStore> place) {
        this.place = place;
    }

    RuntimeValue<InstalledStore> place() {
        return place;
    }
}
