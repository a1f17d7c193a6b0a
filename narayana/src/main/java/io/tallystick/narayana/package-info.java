/**
 * Tallystick stores as the object store of the Narayana transaction manager.
 *
 * <p>Begin with {@link io.tallystick.narayana.TallystickObjectStore}. This is the only place where Narayana's names, status
 * codes and boolean results meet ours.
 */
package io.tallystick.narayana;
