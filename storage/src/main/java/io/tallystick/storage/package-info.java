/**
 * The only door to disk and clock. Stores reach files through {@link io.tallystick.storage.Disk} and time through
 * {@link io.tallystick.storage.NanoClock}. So tests can replace both, and native devices are disks.
 */
@NullMarked
package io.tallystick.storage;

import org.jspecify.annotations.NullMarked;
