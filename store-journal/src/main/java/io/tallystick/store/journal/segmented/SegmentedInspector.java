package io.tallystick.store.journal.segmented;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.journal.engine.DirectoryFiles;
import io.tallystick.store.journal.engine.JournalInspection;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.store.spi.StoreInspector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

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
        return inspection.inspect(directory, this::read, Optional.empty());
    }

    @Override
    public StoreInspection inspectOwned(Path directory) {
        return inspection.inspectOwned(directory, this::read);
    }

    private StoreInspection read(StoreGlance glance) throws IOException {
        SegmentedReading reading = new SegmentedReading(
                disk,
                glance.path(),
                glance.identity().map(StoreIdentity::idBytes).orElse(null));
        reading.read();
        List<Damage> damages = JournalInspection.damagesOf(glance);
        damages.addAll(reading.damages());
        Optional<Long> segmentBytes = reading.headers().values().stream()
                .map(SegmentHeader::segmentBytes)
                .max(Comparator.naturalOrder());
        return new StoreInspection(
                glance.path(),
                KIND,
                reading.storeId().map(JournalInspection::uuid),
                Optional.empty(),
                JournalInspection.settings("segmented", glance, segmentBytes),
                files(glance.path(), reading),
                reading.records().values(),
                damages);
    }

    private List<InspectedFile> files(Path directory, SegmentedReading reading) throws IOException {
        return DirectoryFiles.in(disk, directory, path -> roleOf(path, reading), path -> remark(path, reading));
    }

    private static Optional<Role> roleOf(Path path, SegmentedReading reading) {
        String name = path.getFileName().toString();
        if (name.equals(SegmentRecovery.READY_FILE)) {
            return Optional.of(Role.MARKER);
        }
        if (SegmentFormat.fileNumber(path) >= 0) {
            SegmentHeader header = reading.headers().get(path);
            boolean isSpare =
                    header != null && (header.segmentId() < reading.oldestId() || reading.lastSequence(path) == 0);
            return Optional.of(isSpare ? Role.SPARE : Role.DATA);
        }
        return name.startsWith("segment-") && name.endsWith(SegmentFormat.UNFINISHED_SUFFIX)
                ? Optional.of(Role.LEFTOVER)
                : Optional.empty();
    }

    private static String remark(Path path, SegmentedReading reading) {
        SegmentHeader header = reading.headers().get(path);
        return header == null
                ? ""
                : "segment-id=" + header.segmentId()
                        + (reading.lastSequence(path) == 0 ? "" : " last-sequence=" + reading.lastSequence(path));
    }
}
