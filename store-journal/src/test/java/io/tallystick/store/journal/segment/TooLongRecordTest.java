package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.log.LogHome;
import io.tallystick.store.log.LogSettings;
import io.tallystick.store.log.LogStore;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A record that no segment can hold gets no place. An opening prevents it, so this log is opened below the options. */
class TooLongRecordTest {
    private static final int TOO_LONG = (int) SegmentFixture.SEGMENT_BYTES;

    private final SimulatedDisk simulated = new SimulatedDisk();

    @BeforeEach
    void makeDirectory() throws IOException {
        simulated.createDirectory(SegmentFixture.DIRECTORY);
        simulated.forceDirectory(SegmentFixture.DIRECTORY.getParent());
    }

    @Test
    @Timeout(60)
    void aRecordThatNoSegmentHoldsFailsTheStoreBeforeAnythingIsWritten() throws IOException {
        long lengthBefore = segmentBytes();
        try (ObjectStore store = open()) {
            store.write(SegmentFixture.key(1), new byte[10], Durability.FORCED);

            assertThatThrownBy(() -> store.write(SegmentFixture.key(2), new byte[TOO_LONG], Durability.FORCED))
                    .isInstanceOf(StoreException.class)
                    .isNotInstanceOf(OutcomeUnknownException.class)
                    .hasRootCauseInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> store.write(SegmentFixture.key(3), new byte[10], Durability.FORCED))
                    .isInstanceOf(StoreException.class);
            assertThat(store.failure()).isPresent();
            assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
        }
        assertThat(segmentBytes() % SegmentFixture.SEGMENT_BYTES).isEqualTo(lengthBefore);

        try (ObjectStore found = open()) {
            assertThat(found.keys("/T")).containsExactly(SegmentFixture.key(1));
        }
    }

    private long segmentBytes() throws IOException {
        long bytes = 0;
        for (Path file : SegmentFiles.in(simulated, SegmentFixture.DIRECTORY)) {
            bytes += simulated.contents(file).length;
        }
        return bytes;
    }

    private ObjectStore open() throws IOException {
        JournalContext context = SegmentFixture.context(simulated);
        ConcurrentHashMap<StateKey, Version> index = new ConcurrentHashMap<>();
        StatisticsRecorder statistics = new StatisticsRecorder(StoreEvents.flightRecorder("test"));
        LogSettings settings = new LogSettings(
                "test",
                SegmentFixture.STORE_ID,
                2 * TOO_LONG,
                WaitStrategy.EXPECTED_END,
                Optional.empty(),
                NanoClock.SYSTEM,
                statistics,
                new StoreDescription("journal", Optional.empty(), Optional.empty(), Optional.empty(), "", ""));
        return LogStore.open(
                SegmentedLog.open(context, index),
                index,
                new Home(),
                settings,
                statistics.events().beginRecovery());
    }

    private record Home() implements LogHome {
        @Override
        public UUID storeId() {
            return new UUID(0, 0);
        }

        @Override
        public Optional<String> nodeId() {
            return Optional.empty();
        }

        @Override
        public boolean isOwned() {
            return true;
        }

        @Override
        public OptionalLong usableBytes() {
            return OptionalLong.empty();
        }

        @Override
        public String place() {
            return SegmentFixture.DIRECTORY.toString();
        }

        @Override
        public void close() {
            // nothing is held
        }
    }
}
