/**
 * Transactions per second of every store, beside the stores that transaction managers ship and beside what the disk can
 * do, all in one run. {@link io.tallystick.benchmarks.Bench} is the program; docs/benchmarks.md explains its figures.
 */
package io.tallystick.benchmarks;
