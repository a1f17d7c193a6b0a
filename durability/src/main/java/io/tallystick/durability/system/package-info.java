/** The machine below a store: child processes, block devices, file systems, system calls that fail. */
package io.tallystick.durability.system;
