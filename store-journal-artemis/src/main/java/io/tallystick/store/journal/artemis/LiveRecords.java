package io.tallystick.store.journal.artemis;

import io.tallystick.store.StateKey;
import io.tallystick.store.log.spi.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The records of the latest versions of all keys: their number, their lengths, and those in one file. For any thread.
 */
final class LiveRecords {
    private final ConcurrentHashMap<StateKey, Version> index;
    private final AtomicLong longest = new AtomicLong();
    // Written under the layout lock only.
    private volatile long bytes;

    LiveRecords(ConcurrentHashMap<StateKey, Version> index) {
        this.index = index;
    }

    /** The number of records, or a few more: a key counts as long as the index has it. */
    long count() {
        return index.mappingCount();
    }

    long bytes() {
        return bytes;
    }

    /** Under the layout lock only. */
    void bytesAre(long liveBytes) {
        bytes = liveBytes;
    }

    /** The longest record that was ever noted. */
    long longest() {
        return longest.get();
    }

    void noteLength(int recordBytes) {
        if (recordBytes > longest.get()) {
            longest.accumulateAndGet(recordBytes, Math::max);
        }
    }

    /** Notes the lengths of the records that were recovered. */
    void noteRecovered() {
        index.values().forEach(version -> noteLength(version.recordLength()));
    }

    /** The versions that lie in this file. */
    List<Version> in(DataFile file) {
        List<Version> live = new ArrayList<>();
        for (Version version : index.values()) {
            if (version.isDone() && version.home() == file && !version.isTombstone()) {
                live.add(version);
            }
        }
        return live;
    }
}
