/** The stages: each attacks a store in one way, and compares afterwards with the oracle of the testkit. */
package io.tallystick.durability.stage;
