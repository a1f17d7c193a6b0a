/**
 * A store in a process of its own, so that a test can kill it: {@link StoreProcess} starts it, {@link StoreServer} is
 * its main class.
 */
package io.tallystick.testkit.process;
