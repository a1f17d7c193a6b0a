/** Bugs that are planted on purpose: a stage that does not find them proves nothing. */
package io.tallystick.durability.planted;
