/** Rings of transactions over several stores and resources, in processes that are killed. */
package io.tallystick.durability.ring;
