/** The contract between store and engine: begin with {@link io.tallystick.store.log.spi.RecordLog}. */
@NullMarked
package io.tallystick.store.log.spi;

import org.jspecify.annotations.NullMarked;
