/**
 * Disks that obey the test: {@link SimulatedDisk} forgets what was not forced, {@link FaultInjectingDisk} fails where
 * it is told to, and {@link FileDamage} changes what lies in files.
 */
package io.tallystick.testkit.disk;
