package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A new process does not pay for the recorder before there is one; a JVM of its own, because no recorder ran there. */
@Timeout(60)
class LateRecorderTest {
    @Test
    void kindsOfEventsAreRegisteredWhenTheRecorderRunsAndNotBefore() throws IOException {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(output.lines()).containsExactly("registered=false", "forces recorded=1");
    }

    /** A store works, and later a recording begins. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws IOException {
            StoreEvents events = StoreEvents.flightRecorder("/a/store");
            tell(events);
            boolean isRegistered = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                    .anyMatch(type -> type.getName().startsWith("io.tallystick."));
            System.out.println("registered=" + isRegistered);

            Path file = Files.createTempFile("late", ".jfr");
            try (Recording recording = new Recording()) {
                recording.enable("io.tallystick.Force").withoutThreshold();
                recording.start();
                tell(events);
                recording.stop();
                recording.dump(file);
                List<String> names = RecordingFile.readAllEvents(file).stream()
                        .map(event -> event.getEventType().getName())
                        .toList();
                System.out.println("forces recorded="
                        + names.stream().filter("io.tallystick.Force"::equals).count());
            } finally {
                Files.delete(file);
            }
        }

        private static void tell(StoreEvents events) {
            events.beginRecovery().ended(1, 1);
            events.beginForce().succeeded(1, 1);
            events.beginRelocation().ended("file", 1, 1);
            events.reclaimed("file", true);
        }
    }
}
