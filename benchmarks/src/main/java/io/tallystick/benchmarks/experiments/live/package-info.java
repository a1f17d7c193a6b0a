/** Experiments with much live data, its recovery, and asynchronous writes; {@code ./bench live} runs the first two. */
package io.tallystick.benchmarks.experiments.live;
