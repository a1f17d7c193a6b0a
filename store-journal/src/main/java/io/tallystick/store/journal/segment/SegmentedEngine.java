package io.tallystick.store.journal.segment;

import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.JournalEngine;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The group-commit log of this library: {@code tallystick.journal.engine=segmented}. */
public final class SegmentedEngine implements JournalEngine {
    /** For {@link java.util.ServiceLoader}. */
    public SegmentedEngine() {}

    @Override
    public String name() {
        return "segmented";
    }

    @Override
    public List<String> supportedIo() {
        return List.of("direct", "channel", "aio", "uring");
    }

    @Override
    public RecordLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException {
        return SegmentedLog.open(context, index);
    }
}
