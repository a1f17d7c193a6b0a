package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** docs/observability.md has a row for each event, with the attributes and the settings that the code has. */
class FlightRecorderDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "observability.md");
    private static final List<String> OF_EVERY_EVENT = List.of("startTime", "duration", "eventThread", "stackTrace");

    @Test
    void everyEventHasItsRow() throws Exception {
        List<String> rows = Files.readAllLines(DOCUMENT).stream()
                .filter(line -> line.startsWith("| `io.tallystick."))
                // Those of the reaper and of the module for Narayana.
                .filter(line -> !line.startsWith("| `io.tallystick.Expiry`"))
                .filter(line -> !line.startsWith("| `io.tallystick.InDoubt`"))
                .map(row -> row.substring(0, row.lastIndexOf(" | ")))
                .toList();
        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(FlightRecorderEvents.class.getDeclaredClasses())
                        .filter(Event.class::isAssignableFrom)
                        .map(event -> row(event.asSubclass(Event.class)))
                        .toList());
    }

    private static String row(Class<? extends Event> event) {
        Enabled enabled = event.getAnnotation(Enabled.class);
        Threshold threshold = event.getAnnotation(Threshold.class);
        String attributes = EventType.getEventType(event).getFields().stream()
                .map(ValueDescriptor::getName)
                .filter(name -> !OF_EVERY_EVENT.contains(name))
                .map(name -> "`" + name + "`")
                .collect(Collectors.joining(", "));
        return "| `" + event.getAnnotation(Name.class).value() + "` | "
                + (enabled == null || enabled.value() ? "yes" : "no") + " | "
                + (threshold == null ? "none" : threshold.value()) + " | " + attributes;
    }
}
