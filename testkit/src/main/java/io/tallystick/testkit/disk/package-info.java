/**
 * Disks that obey the test: {@link SimulatedDisk} loses unforced data in a crash, {@link FaultInjectingDisk} fails
 * chosen operations, and {@link FileDamage} changes the content of files.
 */
package io.tallystick.testkit.disk;
