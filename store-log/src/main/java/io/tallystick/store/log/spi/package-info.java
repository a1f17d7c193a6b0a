/** The contract between store and engine: begin with {@link io.tallystick.store.log.spi.RecordLog}. */
package io.tallystick.store.log.spi;
