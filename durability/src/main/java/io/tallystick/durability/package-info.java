/**
 * The stages that prove the stores: each store of ours, and those of the peers, under crashes, faults, damage and
 * planted bugs. {@code testkit/run} is the way in. What is useful for other stores lies in the testkit.
 */
package io.tallystick.durability;
