package io.tallystick.store.journal.inspect;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.journal.segment.SegmentFormat;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Looks into segmented journals. */
public final class SegmentedInspector extends JournalInspector {
    /** For {@link java.util.ServiceLoader}. */
    public SegmentedInspector() {
        this(new SystemDisk());
    }

    /** An inspector of directories on this disk. */
    public SegmentedInspector(Disk disk) {
        super(disk, "journal-segmented-v1", "segmented");
    }

    @Override
    protected boolean isJournalFile(Path file) {
        return SegmentFormat.fileNumber(file) >= 0;
    }

    @Override
    protected StoreInspection read(Disk disk, StoreGlance glance) throws IOException {
        SegmentedReading reading = new SegmentedReading(
                disk,
                glance.path(),
                glance.identity().map(StoreIdentity::idBytes).orElse(null));
        reading.read();
        return found(glance, reading.storeId(), reading.view(), reading.records(), reading.damages());
    }

    @Override
    protected StoreInspection readInUse(Disk disk, StoreGlance glance) throws IOException {
        byte[] storeId = glance.identity()
                .map(StoreIdentity::idBytes)
                .orElseThrow(() -> new StoreLockedException("directory=" + glance.path() + " is in use by "
                        + glance.holder().orElse("") + ", and nothing tells which store it is; close it"));
        LiveSegmentReading reading = new LiveSegmentReading(disk, glance.path(), storeId);
        reading.read();
        return found(glance, Optional.of(storeId), reading.view(), reading.records(), reading.damages());
    }
}
