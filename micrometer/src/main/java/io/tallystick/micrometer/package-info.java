/**
 * Stores and the reaper as Micrometer metrics: {@link io.tallystick.micrometer.StoreMetrics} and
 * {@link io.tallystick.micrometer.ReaperMetrics}. docs/observability.md has the names.
 */
package io.tallystick.micrometer;
