package io.tallystick.store.journal.artemis;

import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.JournalEngine;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The journal of Apache ActiveMQ Artemis (HornetQ): {@code tallystick.journal.engine=artemis}. */
public final class ArtemisEngine implements JournalEngine {
    /** For {@link java.util.ServiceLoader}. */
    public ArtemisEngine() {}

    @Override
    public String name() {
        return "artemis";
    }

    @Override
    public List<String> supportedIo() {
        return List.of("channel", "direct", "aio", "uring");
    }

    /** {@inheritDoc} A build may have excluded the library that this artifact depends on. */
    @Override
    public void checkUsable() {
        ArtemisLibrary.require();
    }

    @Override
    public RecordLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException {
        return ArtemisLibrary.open(context, index);
    }
}
