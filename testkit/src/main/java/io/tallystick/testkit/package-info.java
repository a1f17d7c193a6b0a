/**
 * What proves a store: the contract suite that every store passes unchanged, clocks and disks that obey the test, and
 * the tools that crash a store at each of its disk operations and check what it promised.
 */
package io.tallystick.testkit;
