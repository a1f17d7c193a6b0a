/**
 * The node of a process that takes it from a pool: which one it takes, and the logs of the pool that nobody has. For
 * the packages of this module.
 */
package io.tallystick.narayana.pool;
