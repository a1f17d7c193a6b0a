/**
 * The only door to disk and clock. Stores reach files through {@link io.tallystick.storage.Disk} and time through
 * {@link io.tallystick.storage.NanoClock}, so that a simulated disk, a fault injector, a native device and a manual
 * clock plug into one seam.
 */
package io.tallystick.storage;
