/** The stores that are compared: ours, those of the peers, and the proof that each is durable as it says. */
package io.tallystick.benchmarks.subject;
