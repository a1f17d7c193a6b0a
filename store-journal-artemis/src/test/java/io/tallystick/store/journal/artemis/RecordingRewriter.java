package io.tallystick.store.journal.artemis;

import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.log.spi.RecordLog.Carried;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.log.spi.Version;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The store as its log sees it: notes what it is asked, and fails when a test says so. */
final class RecordingRewriter implements Rewriter {
    final List<Version> rewritten = new CopyOnWriteArrayList<>();
    final List<Throwable> failures = new CopyOnWriteArrayList<>();
    volatile boolean failed;
    volatile StoreException refusal;

    @Override
    public Version latest(StateKey key) {
        return null;
    }

    @Override
    public long rewrite(List<Carried> records) {
        if (refusal != null) {
            throw refusal;
        }
        long bytes = 0;
        for (Carried record : records) {
            rewritten.add(record.version());
            bytes += record.record().length;
        }
        return bytes;
    }

    @Override
    public void force() {
        // nothing is queued
    }

    @Override
    public void failStop(Throwable cause) {
        failures.add(cause);
    }

    @Override
    public boolean hasFailed() {
        return failed;
    }
}
