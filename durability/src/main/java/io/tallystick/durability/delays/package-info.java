/** Pauses at random places of the library's code, in processes that are then killed. */
package io.tallystick.durability.delays;
