/**
 * The model of a store and the sweeps that compare a store with it: after a crash, a fault or damage a store may show
 * only states that {@link Oracle} allows.
 */
package io.tallystick.testkit.oracle;
