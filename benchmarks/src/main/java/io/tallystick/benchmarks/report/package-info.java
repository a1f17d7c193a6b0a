/** The reports of a run: tables, charts, the page, and the comparison with earlier results. */
package io.tallystick.benchmarks.report;
