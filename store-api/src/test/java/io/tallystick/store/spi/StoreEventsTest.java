package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Events that nobody records cost nothing to speak of. */
class StoreEventsTest {
    private static final int ROUNDS = 200_000;

    @Test
    void nothingIsAllocatedWhileNobodyRecords() {
        StoreEvents events = StoreEvents.flightRecorder("/a/store");
        tellOften(events); // whatever is made once
        long before = AllocatedBytes.ofThisThread();
        tellOften(events);
        long allocated = AllocatedBytes.ofThisThread() - before;

        assertThat(allocated).as("bytes for %d rounds", ROUNDS).isLessThan(ROUNDS);
    }

    private static void tellOften(StoreEvents events) {
        for (int i = 0; i < ROUNDS; i++) {
            StoreEvents.Force force = events.beginForce();
            force.succeeded(i, i);
            events.beginRelocation().ended("file", i, i);
            events.reclaimed("file", true);
        }
    }

    @Test
    void theRecorderIsToldWhereThereIsOne() {
        assertThat(StoreEvents.flightRecorder("/a/store")).isInstanceOf(FlightRecorderEvents.class);
    }

    @Test
    void aStoreWorksWhereTheRuntimeHasARecorderAndTheClassLoaderHidesIt() throws Exception {
        try (HidingClassLoader loader = new HidingClassLoader("jdk.jfr.")) {
            Object told = loader.loadClass(TellsEverything.class.getName())
                    .getMethod("tell")
                    .invoke(null);

            assertThat(ModuleLayer.boot().findModule("jdk.jfr")).isPresent();
            assertThat(told).isEqualTo("SilentEvents");
        }
    }

    /** Opens events twice, as two stores of a process do, and tells all there is to tell. */
    public static final class TellsEverything {
        private TellsEverything() {}

        public static String tell() {
            StoreEvents.flightRecorder("/a/store");
            StoreEvents events = StoreEvents.flightRecorder("/another/store");
            events.beginRecovery().ended(1, 1);
            events.beginForce().succeeded(1, 1);
            events.beginRelocation().ended("file", 1, 1);
            events.reclaimed("file", true);
            events.failed(new IllegalStateException());
            return events.getClass().getSimpleName();
        }
    }

    /** By the management bean of the JDK's own kind, whose module the library does not need. */
    private static final class AllocatedBytes {
        static long ofThisThread() {
            return ((com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean())
                    .getThreadAllocatedBytes(Thread.currentThread().getId());
        }
    }
}
