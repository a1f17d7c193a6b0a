/** The parts of {@code RecoverNode}: arguments, resources, and the check that the log is still its own. Internal. */
package io.tallystick.narayana.recover;
