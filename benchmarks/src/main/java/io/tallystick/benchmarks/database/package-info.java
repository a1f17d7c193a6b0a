/** PostgreSQL servers of a run's own, from installed programs or from those of a library, and delays before them. */
package io.tallystick.benchmarks.database;
