package io.tallystick.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.reaper.ReaperListener;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** docs/observability.md has a row for each meter, and says of it what the meter says of itself. */
class MetricsDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "observability.md");

    @Test
    void everyMeterHasItsRow() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (ObjectStore store = new RemoteStore(ObjectStores.open(
                        StoreConfiguration.builder().store("inmemory").build()));
                TransactionReaper reaper = TransactionReaper.open(ReaperOptions.builder()
                        .listener(ReaperListener.silent())
                        .build());
                StoreMetrics ofStore = new StoreMetrics(store);
                ReaperMetrics ofReaper = new ReaperMetrics(reaper);
                InDoubtMetrics ofDoubt = new InDoubtMetrics(store, () -> Optional.of(InDoubtReport.EMPTY))) {
            ofStore.bindTo(registry);
            ofReaper.bindTo(registry);
            ofDoubt.bindTo(registry);
            List<String> rows = Files.readAllLines(DOCUMENT).stream()
                    .filter(line -> line.startsWith("| `tallystick."))
                    .toList();

            assertThat(rows)
                    .containsExactlyInAnyOrderElementsOf(registry.getMeters().stream()
                            .map(MetricsDocumentTest::row)
                            .distinct()
                            .toList());
        }
    }

    private static String row(Meter meter) {
        Meter.Id id = meter.getId();
        String unit = id.getBaseUnit() == null ? "" : id.getBaseUnit();
        return "| `" + id.getName() + "` | " + id.getType().name().toLowerCase(Locale.ROOT) + " | " + unit + " | "
                + id.getDescription() + " |";
    }
}
