/**
 * Tests for stores: the contract suite that every store passes unchanged, clocks and disks that obey the test, and
 * sweeps. A sweep crashes a store at each of its disk operations and checks its promises.
 */
package io.tallystick.testkit;
