/** What a run is turned into: tables, charts, the page, and the comparison with earlier results. */
package io.tallystick.benchmarks.report;
