/**
 * Tallystick stores as the object store of the Narayana transaction manager, and the Tallystick reaper as its keeper of
 * time limits.
 *
 * <p>Begin with {@link io.tallystick.narayana.TallystickObjectStore} and
 * {@link io.tallystick.narayana.TallystickTransactionManager}, which need not go together. This is the only place where
 * Narayana's names, status codes and boolean results meet ours.
 */
package io.tallystick.narayana;
