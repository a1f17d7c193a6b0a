/** The stages: each puts a store under one kind of failure, and then checks it with the oracle of the testkit. */
package io.tallystick.durability.stage;
