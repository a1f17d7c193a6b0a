/**
 * The stages that test the stores of this library and of the peers under crashes, faults, damage and planted bugs.
 * {@code testkit/run} starts them. The parts that are useful for other stores are in the testkit.
 */
package io.tallystick.durability;
