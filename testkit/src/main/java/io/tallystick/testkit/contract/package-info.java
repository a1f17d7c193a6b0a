/**
 * The contract suite: what every store passes unchanged. {@link ObjectStoreContract} names a test of its own for each
 * store; the other classes are its chapters.
 */
package io.tallystick.testkit.contract;
