package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStore;
import io.tallystick.store.log.LogStore;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Java Flight Recorder hears of a journal store. */
@Timeout(60)
class FlightRecordingTest {
    @TempDir
    Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"segmented", "artemis"})
    void forcesAndRecoveryAreRecordedWithWhatTheyCarried(String engine) throws IOException {
        try (ObjectStore store = open(engine)) {
            store.write(key(1), new byte[100], Durability.FORCED);
        }
        List<RecordedEvent> events = recorded(() -> {
            try (ObjectStore store = open(engine)) {
                store.write(key(2), new byte[100], Durability.FORCED);
            }
        });

        assertThat(named("Recovery", events)).singleElement().satisfies(event -> {
            assertThat(event.getString("store")).isEqualTo(directory().toString());
            assertThat(event.getLong("records")).isEqualTo(1);
            assertThat(event.getLong("bytes")).isEqualTo(100);
            assertThat(event.getDuration()).isPositive();
        });
        assertThat(named("Force", events)).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getString("store")).isEqualTo(directory().toString());
            assertThat(event.getLong("bytes")).isPositive();
            assertThat(event.getDuration()).isPositive();
        });
        assertThat(named("Force", events).stream().mapToLong(event -> event.getLong("records")))
                .contains(1L);
        assertThat(named("SlowForce", events)).as("no force lasts an hour").isEmpty();
    }

    @Test
    void reclaimsAndRelocationsAreRecorded() throws IOException {
        List<RecordedEvent> events = recorded(() -> {
            try (ObjectStore store = open("segmented")) {
                store.write(key(-1), new byte[1000], Durability.FORCED); // stays, in the first segment
                for (int i = 0; i < 400; i++) {
                    store.write(key(i), new byte[3000], Durability.DEFERRED);
                    store.remove(key(i), Durability.DEFERRED);
                    if (i % 10 == 0) {
                        store.force();
                    }
                }
            }
        });

        assertThat(named("Reclaim", events)).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getString("file")).contains("segment-");
            assertThat(event.getBoolean("usedAgain")).isTrue();
        });
        assertThat(named("Relocation", events)).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getString("file")).contains("segment-");
            assertThat(event.getLong("records")).isPositive();
            assertThat(event.getLong("bytes")).isGreaterThan(1000);
        });
    }

    @Test
    void aFailedStoreIsRecordedOnceWithTheReason() throws IOException {
        FaultInjectingDisk disk = new FaultInjectingDisk(new SystemDisk());
        List<RecordedEvent> events = recorded(() -> {
            LogStore store = JournalStore.open(JournalOptions.from(configuration("segmented")), disk, NanoClock.SYSTEM);
            disk.inject(DiskFault.in(DiskOperation.FORCE).forEver().failingWith(DiskFault.EIO));
            assertThatThrownBy(() -> store.write(key(1), new byte[1], Durability.FORCED))
                    .isInstanceOf(OutcomeUnknownException.class);
            disk.clearFaults();
            assertThatThrownBy(store::close).hasMessageContaining(DiskFault.EIO);
        });

        assertThat(named("StoreFailure", events))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("reason")).contains(DiskFault.EIO));
    }

    @Test
    void theLibraryWorksWhereThereIsNoRecorderAndNoManagement() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--limit-modules",
                        "java.base",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WithoutRecorder.class.getName(),
                        directory().toString())
                .redirectErrorStream(true)
                .redirectOutput(new File(temporary.toFile(), "output"))
                .start();

        assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(() -> output()).isEqualTo(WithoutRecorder.GOOD);
    }

    private String output() {
        try {
            return java.nio.file.Files.readString(temporary.resolve("output"));
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }

    /** Writes, closes and reads in the directory that is its argument; ends with a status that nothing else has. */
    static final class WithoutRecorder {
        static final int GOOD = 42;

        private WithoutRecorder() {}

        public static void main(String[] arguments) {
            if (ModuleLayer.boot().findModule("jdk.jfr").isPresent()) {
                throw new IllegalStateException("jdk.jfr is there");
            }
            StoreConfiguration configuration = configuration("segmented", Path.of(arguments[0]));
            try (ObjectStore store = ObjectStores.open(configuration)) {
                store.write(key(1), new byte[10], Durability.FORCED);
            }
            try (ObjectStore store = ObjectStores.open(configuration)) {
                Optional<byte[]> found = store.read(key(1));
                System.exit(found.isPresent() && store.health().isServing() ? GOOD : 1);
            }
        }
    }

    private List<RecordedEvent> recorded(Runnable action) throws IOException {
        Path file = temporary.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.tallystick.Force").withThreshold(Duration.ZERO);
            recording.enable("io.tallystick.SlowForce").withThreshold(Duration.ofHours(1));
            recording.start();
            action.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    private static List<RecordedEvent> named(String name, List<RecordedEvent> events) {
        List<RecordedEvent> found = new ArrayList<>(events);
        found.removeIf(event -> !event.getEventType().getName().equals("io.tallystick." + name));
        return found;
    }

    private ObjectStore open(String engine) {
        return ObjectStores.open(configuration(engine));
    }

    private StoreConfiguration configuration(String engine) {
        return configuration(engine, directory());
    }

    private static StoreConfiguration configuration(String engine, Path directory) {
        return StoreConfiguration.builder()
                .directory(directory)
                .set("tallystick.journal.engine", engine)
                .set("tallystick.journal.io", "channel")
                .set("tallystick.journal.segment-size", "64KiB")
                .set("tallystick.max-state-size", "4KiB")
                .build();
    }

    private Path directory() {
        return temporary.resolve("store");
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }
}
