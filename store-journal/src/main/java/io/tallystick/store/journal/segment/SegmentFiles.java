package io.tallystick.store.journal.segment;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.store.journal.io.DamageListener;
import io.tallystick.store.spi.Damage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lists the segment files of a directory, and checks that none is missing. */
public final class SegmentFiles {
    private SegmentFiles() {}

    /** The segment files, in the order in which they were made. */
    public static List<Path> in(Disk disk, Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path file : disk.list(directory)) {
            if (SegmentFormat.fileNumber(file) >= 0) {
                files.add(file);
            }
        }
        files.sort((one, other) -> Integer.compare(SegmentFormat.fileNumber(one), SegmentFormat.fileNumber(other)));
        return files;
    }

    /** The bytes of the header; fewer if the file is shorter. */
    public static ByteBuffer headerBlock(DiskFile file, long fileBytes) throws IOException {
        ByteBuffer block = ByteBuffer.allocate((int) Math.min(fileBytes, SegmentFormat.SEGMENT_HEADER_BYTES));
        file.readFully(block, 0);
        return block.flip();
    }

    /** The oldest segment that recovery needs. */
    public static long oldestId(Map<Path, SegmentHeader> headers) {
        long oldestId = headers.isEmpty() ? 1 : 0;
        for (SegmentHeader header : headers.values()) {
            oldestId = Math.max(oldestId, header.oldestId());
        }
        return oldestId;
    }

    /** The same headers, in the order of their ids. */
    public static Map<Path, SegmentHeader> inOrder(Map<Path, SegmentHeader> headers) {
        Map<Path, SegmentHeader> inOrder = new LinkedHashMap<>();
        headers.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> entry.getValue().segmentId()))
                .forEach(entry -> inOrder.put(entry.getKey(), entry.getValue()));
        return inOrder;
    }

    /**
     * Checks that no id occurs twice, and that no segment from the oldest on is missing.
     *
     * @param headers in the order of their ids
     * @param isReady whether the store's first segments were made
     */
    public static void checkNoneMissing(
            Map<Path, SegmentHeader> headers, long oldestId, Path directory, boolean isReady, DamageListener listener) {
        Map<Long, Path> byId = new HashMap<>();
        for (Map.Entry<Path, SegmentHeader> each : headers.entrySet()) {
            long id = each.getValue().segmentId();
            if (byId.putIfAbsent(id, each.getKey()) != null) {
                listener.damaged(each.getKey(), 0, Damage.Kind.MISPLACED, "another file has the same segment id " + id);
            }
        }
        for (Map.Entry<Path, SegmentHeader> each : headers.entrySet()) {
            long previousId = each.getValue().previousId();
            boolean isNeeded = each.getValue().segmentId() > oldestId && previousId >= oldestId;
            if (isNeeded && !byId.containsKey(previousId)) {
                listener.damaged(
                        each.getKey(),
                        0,
                        Damage.Kind.MISSING,
                        "the segment before it, id " + previousId + ", is missing");
            }
        }
        if (isReady && !byId.containsKey(oldestId)) {
            listener.damaged(directory, 0, Damage.Kind.MISSING, "the oldest segment, id " + oldestId + ", is missing");
        }
    }
}
