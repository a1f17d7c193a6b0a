/**
 * The parts of {@code RecoverNode}: arguments, resources, and the check that the log is still its own; and what
 * recovery of each process leaves alone. Internal.
 */
package io.tallystick.narayana.recover;
