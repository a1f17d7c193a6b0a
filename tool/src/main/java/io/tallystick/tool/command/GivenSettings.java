package io.tallystick.tool.command;

import io.tallystick.store.StoreConfiguration;
import java.util.Map;

/** Keys and values that the command line gives with {@code -D}. */
public final class GivenSettings {
    private static final String OF_CODE = "in the builder";
    private static final String OF_USER = "on the command line";

    private GivenSettings() {}

    /**
     * Sets each of them.
     *
     * @throws IllegalArgumentException an unknown key or a bad value
     */
    public static void apply(Map<String, String> settings, StoreConfiguration.Builder builder) {
        settings.forEach((key, value) -> {
            try {
                builder.set(key, value);
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(wrong.getMessage().replace(OF_CODE, OF_USER), wrong);
            }
        });
    }
}
