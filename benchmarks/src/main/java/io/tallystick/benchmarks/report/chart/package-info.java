/** Charts as SVG, and the look of each store in them. */
package io.tallystick.benchmarks.report.chart;
