/**
 * Transactions per second of every store, compared with the stores of transaction managers and with the disk alone, all
 * in one run. {@link io.tallystick.benchmarks.run.Bench} is the program; docs/benchmarks.md explains its figures.
 */
package io.tallystick.benchmarks;
