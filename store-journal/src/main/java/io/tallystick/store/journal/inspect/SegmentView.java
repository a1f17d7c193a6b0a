package io.tallystick.store.journal.inspect;

import io.tallystick.store.journal.segment.SegmentFormat;
import io.tallystick.store.journal.segment.SegmentHeader;
import io.tallystick.store.journal.segment.SegmentRecovery;
import io.tallystick.store.spi.InspectedFile.Role;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The segments as an inspection has found them.
 *
 * @param headers by file, in the order of their ids
 * @param oldestId the oldest segment that counts
 * @param lastSequences the last batch in each file that has one that counts
 * @param ignored where in a file a batch begins that is not whole and is ignored
 */
record SegmentView(
        Map<Path, SegmentHeader> headers, long oldestId, Map<Path, Long> lastSequences, Map<Path, Long> ignored)
        implements JournalInspector.Files {
    @Override
    public Optional<Long> fileBytes() {
        return headers.values().stream().map(SegmentHeader::segmentBytes).max(Comparator.naturalOrder());
    }

    @Override
    public Optional<Role> roleOf(Path file) {
        String name = file.getFileName().toString();
        if (name.equals(SegmentRecovery.READY_FILE)) {
            return Optional.of(Role.MARKER);
        }
        if (SegmentFormat.fileNumber(file) >= 0) {
            return Optional.of(isSpare(file) ? Role.SPARE : Role.DATA);
        }
        return SegmentFormat.isUnfinished(file) ? Optional.of(Role.LEFTOVER) : Optional.empty();
    }

    /** Whether no batch in the file counts. */
    private boolean isSpare(Path file) {
        SegmentHeader header = headers.get(file);
        return header != null && (header.segmentId() < oldestId || !lastSequences.containsKey(file));
    }

    @Override
    public String remark(Path file) {
        SegmentHeader header = headers.get(file);
        Long last = lastSequences.get(file);
        return header == null
                ? ""
                : "segment-id=" + header.segmentId() + (last == null ? "" : " last-sequence=" + last);
    }

    @Override
    public OptionalLong ignoredAt(Path file) {
        Long at = ignored.get(file);
        return at == null ? OptionalLong.empty() : OptionalLong.of(at);
    }
}
