/**
 * Programs that measure one question each. They are not part of a run of {@code ./bench}: no class of the comparison
 * uses them. docs/lab and docs/reaper.md give the command of each.
 */
package io.tallystick.benchmarks.experiments;
