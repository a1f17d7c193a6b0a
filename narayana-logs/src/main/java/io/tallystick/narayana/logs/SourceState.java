package io.tallystick.narayana.logs;

import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;

/**
 * The state of a key in a source.
 *
 * @param key the key that the target will have
 * @param image never absent
 * @param place the place in the source, for messages
 */
public record SourceState(StateKey key, StateImage image, String place) {}
