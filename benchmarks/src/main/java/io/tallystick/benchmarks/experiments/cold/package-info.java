/** Measures what a JVM does in its first seconds, while its code is cold. */
package io.tallystick.benchmarks.experiments.cold;
