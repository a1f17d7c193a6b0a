/**
 * A store over a log: the index of versions, what readers see, and the life of a mutation. {@link LogStore} knows no
 * file: an engine behind {@link io.tallystick.store.log.spi.RecordLog} does. Internal: not for users, and free to
 * change.
 */
@NullMarked
package io.tallystick.store.log;

import org.jspecify.annotations.NullMarked;
