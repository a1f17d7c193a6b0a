/**
 * Transactions per second of every store, beside the stores that transaction managers ship and beside the disk alone,
 * all in one run. {@link io.tallystick.benchmarks.run.Bench} is the program; docs/benchmarks.md explains its figures.
 */
package io.tallystick.benchmarks;
