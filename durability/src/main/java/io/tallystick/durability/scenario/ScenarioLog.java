package io.tallystick.durability.scenario;

import io.tallystick.store.log.spi.RecordHome;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StateImage;
import io.tallystick.testkit.schedule.Schedule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A log in memory in which one write may fail. Its writes have points where other threads go on. */
final class ScenarioLog implements RecordLog, RecordHome {
    private final int inFlight;
    private final int batchAppends;
    private final int failingWrite;
    private final List<Version> written = new ArrayList<>();
    private final List<Version> laidOut = new ArrayList<>();
    private int writes;
    private int sequence;
    private boolean failed;

    /** @param failingWrite the number of the write that fails, from 1; 0 for none */
    ScenarioLog(int inFlight, int batchAppends, int failingWrite) {
        this.inFlight = inFlight;
        this.batchAppends = batchAppends;
        this.failingWrite = failingWrite;
    }

    /** A batch of this log. */
    private static final class MemoryBatch extends Batch {
        MemoryBatch(long sequence, Version first, int count, Version rest) {
            super(sequence, first, count, count, rest);
        }
    }

    boolean isWritten(Version append) {
        return written.contains(append);
    }

    List<Version> laidOut() {
        return laidOut;
    }

    @Override
    public int writesInFlight() {
        return inFlight;
    }

    @Override
    public void reserve(Version append) {
        // memory is large
    }

    @Override
    public void refund(Version append) {
        // memory is large
    }

    @Override
    public Batch layOut(Version first) {
        if (failed) {
            throw new AssertionError("I5 fail-stop violated: laid out after a failed write");
        }
        int count = 0;
        Version append = first;
        while (append != null && count < batchAppends) {
            append.place(this, laidOut.size());
            laidOut.add(append);
            count++;
            append = append.next();
        }
        return new MemoryBatch(++sequence, first, count, append);
    }

    @Override
    public void write(Batch batch) throws IOException {
        int number = ++writes;
        Schedule.point();
        if (number == failingWrite) {
            failed = true;
            Schedule.point();
            throw new IOException("Input/output error");
        }
        Version append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            written.add(append);
            append = append.next();
        }
        Schedule.point();
    }

    @Override
    public void durable(Batch batch, long durableSequence) {
        // this log keeps no durable sequence
    }

    @Override
    public StateImage read(Version version) {
        throw new UnsupportedOperationException("the group commit alone is explored: nobody reads");
    }

    @Override
    public void close() {
        // there is no file to close
    }
}
