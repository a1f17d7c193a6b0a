package io.tallystick.store.spi;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * Tells Java Flight Recorder. Only {@link StoreEvents#flightRecorder} loads this class. So a runtime without the module
 * {@code jdk.jfr} misses nothing else.
 *
 * <p>The first event of a kind registers that kind with the recorder. That loads more than a hundred classes, which a
 * new process would wait for when it opens its store. So no event is made before the recorder runs in this process. A
 * recording that begins later has its settings already when the kinds are registered.
 *
 * <p>Events that are made once and never recorded tell whether there is a recording. That costs a look at a flag, which
 * the recorder itself sets.
 */
final class FlightRecorderEvents implements StoreEvents {
    private final String store;

    /** @throws LinkageError this runtime has no recorder */
    FlightRecorderEvents(String store) {
        this.store = store;
        FlightRecorder.isInitialized();
    }

    /** Initialized when the recorder runs, and not before. */
    private static final class Kinds {
        static final Event FORCE = new ForceEvent();
        static final Event SLOW_FORCE = new SlowForceEvent();
        static final Event RELOCATION = new RelocationEvent();
        static final Event RECLAIM = new ReclaimEvent();

        static boolean areForcesRecorded() {
            return FORCE.isEnabled() || SLOW_FORCE.isEnabled();
        }
    }

    @Override
    public Force beginForce() {
        if (!FlightRecorder.isInitialized() || !Kinds.areForcesRecorded()) {
            return SilentEvents.INSTANCE;
        }
        return new ForceSpan(store);
    }

    @Override
    public Recovery beginRecovery() {
        if (!FlightRecorder.isInitialized()) {
            return SilentEvents.INSTANCE;
        }
        RecoveryEvent event = new RecoveryEvent();
        event.begin();
        return (records, bytes) -> {
            event.end();
            event.store = store;
            event.records = records;
            event.bytes = bytes;
            event.commit();
        };
    }

    @Override
    public Relocation beginRelocation() {
        if (!FlightRecorder.isInitialized() || !Kinds.RELOCATION.isEnabled()) {
            return SilentEvents.INSTANCE;
        }
        RelocationEvent event = new RelocationEvent();
        event.begin();
        return (file, records, bytes) -> {
            event.end();
            event.store = store;
            event.file = file;
            event.records = records;
            event.bytes = bytes;
            event.commit();
        };
    }

    @Override
    public void reclaimed(String file, boolean isUsedAgain) {
        if (FlightRecorder.isInitialized() && Kinds.RECLAIM.isEnabled()) {
            ReclaimEvent event = new ReclaimEvent();
            event.store = store;
            event.file = file;
            event.usedAgain = isUsedAgain;
            event.commit();
        }
    }

    @Override
    public void failed(Throwable cause) {
        if (!FlightRecorder.isInitialized()) {
            return;
        }
        StoreFailureEvent event = new StoreFailureEvent();
        event.store = store;
        event.reason = String.valueOf(cause);
        event.commit();
    }

    /** One wait as the two events of it, which have a threshold each. */
    private static final class ForceSpan implements Force {
        private final String store;
        private final ForceEvent force = new ForceEvent();
        private final SlowForceEvent slow = new SlowForceEvent();

        ForceSpan(String store) {
            this.store = store;
            force.begin();
            slow.begin();
        }

        @Override
        public void succeeded(long records, long bytes) {
            force.end();
            slow.end();
            if (force.shouldCommit()) {
                force.store = store;
                force.records = records;
                force.bytes = bytes;
                force.commit();
            }
            if (slow.shouldCommit()) {
                slow.store = store;
                slow.records = records;
                slow.bytes = bytes;
                slow.commit();
            }
        }
    }

    @Name("io.tallystick.Force")
    @Label("Force")
    @Category({"Tallystick", "Store"})
    @Description("One wait for the disk, which made one batch of records durable")
    @Enabled(false)
    @StackTrace(false)
    static final class ForceEvent extends Event {
        @Label("Store")
        @Description("The store's directory")
        String store;

        @Label("Records")
        @Description("Records made durable")
        long records;

        @Label("Bytes")
        @Description("Bytes handed to the disk, framing and padding included")
        @DataAmount
        long bytes;
    }

    @Name("io.tallystick.SlowForce")
    @Label("Slow Force")
    @Category({"Tallystick", "Store"})
    @Description("A wait for the disk that took longer than the threshold")
    @Threshold("50 ms")
    @StackTrace(false)
    static final class SlowForceEvent extends Event {
        @Label("Store")
        @Description("The store's directory")
        String store;

        @Label("Records")
        @Description("Records made durable")
        long records;

        @Label("Bytes")
        @Description("Bytes handed to the disk, framing and padding included")
        @DataAmount
        long bytes;
    }

    @Name("io.tallystick.Recovery")
    @Label("Recovery")
    @Category({"Tallystick", "Store"})
    @Description("A store read its directory when it was opened")
    @StackTrace(false)
    static final class RecoveryEvent extends Event {
        @Label("Store")
        @Description("The store's directory")
        String store;

        @Label("Records")
        @Description("Records found")
        long records;

        @Label("Bytes")
        @Description("State bytes found")
        @DataAmount
        long bytes;
    }

    @Name("io.tallystick.Relocation")
    @Label("Relocation")
    @Category({"Tallystick", "Store"})
    @Description("Live records were written again elsewhere, so that their file can be used again")
    @StackTrace(false)
    static final class RelocationEvent extends Event {
        @Label("Store")
        @Description("The store's directory")
        String store;

        @Label("File")
        @Description("The file they were in")
        String file;

        @Label("Records")
        @Description("Records written again")
        long records;

        @Label("Bytes")
        @Description("Their bytes on disk")
        @DataAmount
        long bytes;
    }

    @Name("io.tallystick.Reclaim")
    @Label("Reclaim")
    @Category({"Tallystick", "Store"})
    @Description("Nothing needs a journal file any more")
    @StackTrace(false)
    static final class ReclaimEvent extends Event {
        @Label("Store")
        @Description("The store's directory")
        String store;

        @Label("File")
        @Description("The file")
        String file;

        @Label("Used Again")
        @Description("Whether it will be written again; else it was deleted")
        boolean usedAgain;
    }

    @Name("io.tallystick.StoreFailure")
    @Label("Store Failure")
    @Category({"Tallystick", "Store"})
    @Description("The store has failed stop: it refuses every mutation until it is opened again")
    @StackTrace(true)
    static final class StoreFailureEvent extends Event {
        @Label("Store")
        @Description("The store's directory")
        String store;

        @Label("Reason")
        @Description("The error")
        String reason;
    }
}
