/** The stores under test: ours, those of the peers, and liars that each stage must convict. */
package io.tallystick.durability.subject;
