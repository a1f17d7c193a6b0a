/**
 * The contract suite: every store passes it unchanged. The test of a store extends {@link ObjectStoreContract}; the
 * other classes are the parts of the suite.
 */
package io.tallystick.testkit.contract;
