/** The program that {@code testkit/run} starts: its options, the catalog of stages, and the record of a run. */
package io.tallystick.durability.run;
