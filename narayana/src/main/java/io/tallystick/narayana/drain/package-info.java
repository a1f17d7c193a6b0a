/**
 * The proof that a drained process leaves nothing behind: Narayana's active transactions, and what the looks of its
 * recovery are worth. Internal; {@code TallystickDrain} is the way in.
 */
package io.tallystick.narayana.drain;
