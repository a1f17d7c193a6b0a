package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Java Flight Recorder hears of the reaper, and that docs/observability.md says so. */
class ExpiryEventsTest {
    @TempDir
    Path directory;

    @Test
    void anExpiryIsRecordedWithItsFigures() throws Exception {
        Path file = directory.resolve("recording.jfr");
        TransactionReaper reaper = TransactionReaper.open(
                ReaperOptions.builder().listener(ReaperListener.silent()).build());
        try (Recording recording = new Recording()) {
            recording.start();
            reaper.register(new TestTransaction("tx"), Duration.ofHours(1));
            reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofSeconds(30));
            recording.stop();
            recording.dump(file);
        }

        List<RecordedEvent> expiries = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.tallystick.Expiry"))
                .toList();
        assertThat(expiries).singleElement().satisfies(event -> {
            assertThat(event.getString("reason")).isEqualTo("CLOSE");
            assertThat(event.getString("outcome")).isEqualTo(CancelOutcome.CANCELLED.name());
            assertThat(event.getDuration("timeout")).isEqualTo(Duration.ofHours(1));
            assertThat(event.getDuration("lateness")).isNegative();
        });
    }

    @Test
    void aTransactionExpiresWhereTheRuntimeHasARecorderAndTheClassLoaderHidesIt() throws Exception {
        try (HidingClassLoader loader = new HidingClassLoader("jdk.jfr.")) {
            Object outcome = loader.loadClass(ExpiresOne.class.getName())
                    .getMethod("expire")
                    .invoke(null);

            assertThat(ModuleLayer.boot().findModule("jdk.jfr")).isPresent();
            assertThat(outcome).hasToString("CANCELLED");
        }
    }

    /** Lets a transaction expire and tells with which outcome. */
    public static final class ExpiresOne {
        private ExpiresOne() {}

        public static Object expire() throws InterruptedException {
            BlockingQueue<Expiry> expiries = new LinkedBlockingQueue<>();
            TransactionReaper reaper = TransactionReaper.open(ReaperOptions.builder()
                    .listener(new ReaperListener() {
                        @Override
                        public void expired(Expiry expiry) {
                            expiries.add(expiry);
                        }
                    })
                    .build());
            reaper.register(new TestTransaction("tx"), Duration.ofHours(1));
            reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofSeconds(30));
            Expiry expiry = expiries.poll(30, TimeUnit.SECONDS);
            return expiry == null ? "nothing expired" : expiry.outcome();
        }
    }

    @Test
    void theDocumentHasTheEventWithItsAttributes() throws Exception {
        String attributes = EventType.getEventType(ExpiryEvents.ExpiryEvent.class).getFields().stream()
                .map(ValueDescriptor::getName)
                .filter(name -> !List.of("startTime", "duration", "eventThread", "stackTrace")
                        .contains(name))
                .map(name -> "`" + name + "`")
                .collect(Collectors.joining(", "));
        Optional<String> row = Files.readAllLines(Path.of("..", "docs", "observability.md")).stream()
                .filter(line -> line.startsWith("| `io.tallystick.Expiry` |"))
                .findFirst();

        assertThat(row)
                .isPresent()
                .get()
                .asString()
                .startsWith("| `io.tallystick.Expiry` | yes | none | " + attributes);
    }
}
