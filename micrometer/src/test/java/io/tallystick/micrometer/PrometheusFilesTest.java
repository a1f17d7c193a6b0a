package io.tallystick.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.reaper.ReaperListener;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard and the alert rules of docs/observability ask for series that a scrape has. */
class PrometheusFilesTest {
    private static final Path DOCUMENTS = Path.of("..", "docs", "observability");
    private static final Pattern SERIES = Pattern.compile("\\btallystick_[a-z0-9_]+");
    private static final Pattern LABELS = Pattern.compile("\\{([^}]*)}|by \\(([^)]*)\\)");
    private static final Pattern LABEL = Pattern.compile("[a-z_]+(?=\\s*(=|,|$))");

    @TempDir
    Path directory;

    @Test
    void theRulesAskForSeriesThatAScrapeHas() throws Exception {
        List<String> rules = Files.readAllLines(DOCUMENTS.resolve("prometheus-rules.yml"));
        List<String> expressions = rules.stream()
                .filter(line -> line.strip().startsWith("expr:"))
                .map(line -> line.strip().substring("expr:".length()))
                .toList();

        assertThat(expressions).hasSizeGreaterThan(5);
        assertAskedForIn(scrape(), expressions);
    }

    @Test
    void theDashboardAsksForSeriesThatAScrapeHas() throws Exception {
        JsonObject dashboard = Json.parse(Files.readString(DOCUMENTS.resolve("grafana-dashboard.json")))
                .asObject();
        List<String> expressions = new ArrayList<>();
        Set<Integer> ids = new HashSet<>();
        for (JsonValue panel : dashboard.get("panels").asArray()) {
            assertThat(ids.add(panel.asObject().getInt("id", 0)))
                    .as("a panel has an id of its own")
                    .isTrue();
            assertThat(panel.asObject().getString("title", "")).isNotEmpty();
            for (JsonValue target : panel.asObject().get("targets").asArray()) {
                expressions.add(target.asObject().getString("expr", ""));
            }
        }

        assertThat(expressions).hasSizeGreaterThan(8);
        assertAskedForIn(scrape(), expressions);
    }

    @Test
    void theHistogramIsOneThatQuantilesCanBeReadFrom() throws Exception {
        assertThat(scrape().lines().filter(line -> line.startsWith("tallystick_store_forces_histogram_total{")))
                .hasSizeGreaterThan(15)
                .anyMatch(line -> line.contains("le=\"+Inf\"") && !line.endsWith(" 0.0"))
                .anyMatch(line -> line.contains("le=\"0.001\""));
    }

    private String scrape() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (ObjectStore store = new RemoteStore(ObjectStores.open(StoreConfiguration.builder()
                        .store("file")
                        .directory(directory)
                        .build()));
                TransactionReaper reaper = TransactionReaper.open(ReaperOptions.builder()
                        .listener(ReaperListener.silent())
                        .build());
                StoreMetrics ofStore = new StoreMetrics(store);
                ReaperMetrics ofReaper = new ReaperMetrics(reaper);
                InDoubtMetrics ofDoubt = new InDoubtMetrics(store, () -> Optional.of(InDoubtReport.EMPTY))) {
            store.write(StateKey.of("/T", ObjectId.of(new byte[] {1})), new byte[10], Durability.FORCED);
            ofStore.bindTo(registry);
            ofReaper.bindTo(registry);
            ofDoubt.bindTo(registry);
            return registry.scrape();
        }
    }

    private static void assertAskedForIn(String scrape, List<String> expressions) {
        Set<String> series = new TreeSet<>();
        scrape.lines().filter(line -> !line.startsWith("#")).forEach(line -> series.add(line.split("[{ ]")[0]));
        for (String expression : expressions) {
            assertThat(all(SERIES, expression)).as(expression).isNotEmpty().isSubsetOf(series);
            Matcher labels = LABELS.matcher(expression);
            while (labels.find()) {
                String named = labels.group(1) == null ? labels.group(2) : labels.group(1);
                assertThat(all(LABEL, named.replaceAll("\"[^\"]*\"", "")))
                        .as(expression)
                        .isSubsetOf("store", "engine", "place", "node", "le", "instance", "job", "state");
            }
        }
    }

    private static Set<String> all(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group());
        }
        return found;
    }
}
