package io.tallystick.store.journal.inspect;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.journal.io.DirectoryFiles;
import io.tallystick.store.journal.segment.SegmentFiles;
import io.tallystick.store.journal.segment.SegmentFormat;
import io.tallystick.store.journal.segment.SegmentHeader;
import io.tallystick.store.journal.segment.SegmentRecovery;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Looks into segmented journals. */
public final class SegmentedInspector implements StoreInspector {
    private static final String KIND = "journal-segmented-v1";

    private final Disk disk;
    private final JournalInspection inspection;

    /** For {@link java.util.ServiceLoader}. */
    public SegmentedInspector() {
        this(new SystemDisk());
    }

    /** An inspector of directories on this disk. */
    public SegmentedInspector(Disk disk) {
        this.disk = disk;
        this.inspection = new JournalInspection(disk, KIND);
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean recognizes(Path directory) {
        return inspection.recognizes(
                directory, path -> !SegmentFiles.in(disk, path).isEmpty());
    }

    @Override
    public StoreInspection inspect(Path directory) {
        return inspection.inspect(directory, this::readIdle, Optional.of(this::readInUse));
    }

    @Override
    public StoreInspection inspectOwned(Path directory) {
        return inspection.inspectOwned(directory, this::readIdle);
    }

    private StoreInspection readIdle(StoreGlance glance) throws IOException {
        SegmentedReading reading = new SegmentedReading(
                disk,
                glance.path(),
                glance.identity().map(StoreIdentity::idBytes).orElse(null));
        reading.read();
        return found(
                glance,
                reading.storeId().map(JournalInspection::uuid),
                reading.view(),
                reading.records(),
                reading.damages());
    }

    private StoreInspection readInUse(StoreGlance glance) throws IOException {
        StoreIdentity identity = glance.identity()
                .orElseThrow(() -> new StoreLockedException("directory=" + glance.path() + " is in use by "
                        + glance.holder().orElse("") + ", and nothing tells which store it is; close it"));
        LiveSegmentReading reading = new LiveSegmentReading(disk, glance.path(), identity.idBytes());
        reading.read();
        return found(glance, Optional.of(identity.id()), reading.view(), reading.records(), reading.damages());
    }

    private StoreInspection found(
            StoreGlance glance,
            Optional<UUID> storeId,
            SegmentView view,
            Collection<RecordOnDisk> records,
            Collection<Damage> found)
            throws IOException {
        List<Damage> damages = JournalInspection.damagesOf(glance);
        damages.addAll(found);
        Optional<Long> segmentBytes = view.headers().values().stream()
                .map(SegmentHeader::segmentBytes)
                .max(Comparator.naturalOrder());
        return new StoreInspection(
                glance.path(),
                KIND,
                storeId,
                glance.holder(),
                JournalInspection.settings("segmented", glance, segmentBytes),
                DirectoryFiles.in(disk, glance.path(), path -> roleOf(path, view), view::remark),
                records,
                damages);
    }

    private static Optional<Role> roleOf(Path path, SegmentView view) {
        String name = path.getFileName().toString();
        if (name.equals(SegmentRecovery.READY_FILE)) {
            return Optional.of(Role.MARKER);
        }
        if (SegmentFormat.fileNumber(path) >= 0) {
            return Optional.of(view.isSpare(path) ? Role.SPARE : Role.DATA);
        }
        return name.startsWith("segment-") && name.endsWith(SegmentFormat.UNFINISHED_SUFFIX)
                ? Optional.of(Role.LEFTOVER)
                : Optional.empty();
    }
}
