package com.example.ledger;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.JournalEngine;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.settings.Setting;
import io.tallystick.store.settings.ValueReaders;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A journal in one file: {@code tallystick.journal.engine=ledger}. */
public final class LedgerEngine implements JournalEngine {
    /** Bytes that the file may grow to between two openings. It may change between lives: no file depends on it. */
    static final StoreOption<Long> SIZE = StoreOption.of(Setting.of(
            "tallystick.ledger.size",
            ValueReaders.size(StoreOption.MIB, StoreOption.GIB), // an opening reads the file into an array
            Optional.of("256MiB"),
            "how far the file may grow between two openings, 1MiB to 1GiB"));

    /** For ServiceLoader. */
    public LedgerEngine() {}

    @Override
    public String name() {
        return "ledger";
    }

    @Override
    public List<String> supportedIo() {
        return List.of("channel");
    }

    @Override
    public List<StoreOption<?>> options() {
        return List.of(SIZE);
    }

    @Override
    public RecordLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException {
        return LedgerLog.open(context, index);
    }
}
