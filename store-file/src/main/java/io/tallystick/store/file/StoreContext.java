package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.spi.StatisticsRecorder;

/** The common surroundings of all parts of one open store. */
record StoreContext(
        Disk disk, NanoClock clock, FailStop failStop, StatisticsRecorder statistics, OpenFiles openFiles) {}
