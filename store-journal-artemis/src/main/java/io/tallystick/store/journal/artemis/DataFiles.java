package io.tallystick.store.journal.artemis;

import io.tallystick.storage.UsedFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** The files that hold batches, by id: the oldest first. For any thread. */
final class DataFiles {
    private final ConcurrentSkipListMap<Long, DataFile> files = new ConcurrentSkipListMap<>();

    void add(DataFile file) {
        files.put(file.fileId(), file);
    }

    void remove(DataFile file) {
        files.remove(file.fileId(), file);
    }

    int count() {
        return files.size();
    }

    /** The files that must be there, each with this size. */
    List<UsedFile> inUse(long fileBytes) {
        DataFile newest = newest(); // it is open, as long as batches go there
        List<UsedFile> inUse = new ArrayList<>();
        for (DataFile file : files.values()) {
            Path path = file.pathOrNull();
            if (path != null) {
                inUse.add(file == newest ? UsedFile.open(path, fileBytes) : UsedFile.named(path, fileBytes));
            }
        }
        return inUse;
    }

    /** The oldest file; null if there is none. */
    DataFile oldest() {
        Map.Entry<Long, DataFile> first = files.firstEntry();
        return first == null ? null : first.getValue();
    }

    /** The newest file; null if there is none. */
    DataFile newest() {
        Map.Entry<Long, DataFile> last = files.lastEntry();
        return last == null ? null : last.getValue();
    }

    /** The oldest file with live records; null if there is none. */
    DataFile oldestWithLive() {
        for (DataFile file : files.values()) {
            if (file.live() != 0) {
                return file;
            }
        }
        return null;
    }

    /** The ids of the files, with the last sequence in each. */
    Map<Long, Long> lastSequences() {
        Map<Long, Long> last = new LinkedHashMap<>();
        files.forEach((id, file) -> last.put(id, file.lastSequence()));
        return last;
    }
}
