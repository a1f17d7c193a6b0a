/**
 * The cost of transaction timeouts: {@link io.tallystick.benchmarks.experiments.reaper.RegisterCancelBenchmark}
 * compares timers, and {@link io.tallystick.benchmarks.experiments.reaper.ReaperBench} runs it and prints the table of
 * docs/reaper.md.
 */
package io.tallystick.benchmarks.experiments.reaper;
