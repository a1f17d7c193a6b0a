/** The page of a run: one HTML file, a class for each of its sections. */
package io.tallystick.benchmarks.report.page;
