/** Measures how long a new JVM takes to open a store. */
package io.tallystick.benchmarks.experiments.opening;
