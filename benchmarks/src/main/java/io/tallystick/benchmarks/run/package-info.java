/** The run of a comparison: the request, the plan of steps, and the child processes that take the steps. */
package io.tallystick.benchmarks.run;
