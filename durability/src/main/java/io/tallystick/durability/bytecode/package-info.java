/** Changes of compiled classes: points for a scheduler, and planted bugs. */
package io.tallystick.durability.bytecode;
