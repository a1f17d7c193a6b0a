/**
 * What transaction timeouts cost: {@link io.tallystick.benchmarks.reaper.RegisterCancelBenchmark} compares timers, and
 * {@link io.tallystick.benchmarks.reaper.ReaperBench} runs it and prints the table of docs/reaper.md.
 */
package io.tallystick.benchmarks.reaper;
