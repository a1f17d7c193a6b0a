/** Measurements in a child process: commits in slices of time, processor time, the machine. */
package io.tallystick.benchmarks.measure;
