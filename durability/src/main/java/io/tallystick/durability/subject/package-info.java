/** The stores under test: ours, those of the peers, and stores with a broken promise that a stage must find. */
package io.tallystick.durability.subject;
