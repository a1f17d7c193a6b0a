/**
 * The Quarkus extension: an application that depends on it has a Tallystick store as its transaction log.
 *
 * <p>The store is opened between Narayana's initialization and its recovery, and is closed when the application stops.
 * It can be injected as {@link io.tallystick.store.ObjectStore}. The settings are {@link
 * io.tallystick.quarkus.TallystickConfig}.
 */
package io.tallystick.quarkus;
