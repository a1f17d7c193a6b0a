/** Changes of compiled classes: what a scheduler must see of them, and bugs that are planted in them. */
package io.tallystick.durability.bytecode;
