/** What an engine implements, and what it is given: begin with {@link io.tallystick.store.log.spi.RecordLog}. */
package io.tallystick.store.log.spi;
