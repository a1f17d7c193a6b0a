/** The compared stores: ours, those of the peers, and the proof that each run uses the store that it names. */
package io.tallystick.benchmarks.subject;
