package io.tallystick.benchmarks;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.tallystick.benchmarks.measure.DatabaseBenchmark;
import io.tallystick.benchmarks.measure.DiskBenchmark;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.measure.RecoveryBenchmark;
import io.tallystick.benchmarks.measure.RunState;
import io.tallystick.benchmarks.measure.StatementBenchmark;
import io.tallystick.benchmarks.measure.TakeoverBenchmark;
import io.tallystick.benchmarks.measure.TransactionBenchmark;
import io.tallystick.benchmarks.measure.WorkBenchmark;
import io.tallystick.benchmarks.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/** Writes result files as JMH lays them out, with figures of a test's choice. */
public final class Samples {
    private static final String RAW_DATA = "rawData";

    private final JsonArray results = new JsonArray();
    private RunState state = RunState.UNKNOWN;
    private Map<String, String> machine = Map.of(Machine.CORES, "2", Machine.FILE_SYSTEM, "ext4");

    public Samples on(Map<String, String> facts) {
        machine = facts;
        return this;
    }

    public Samples at(RunState how) {
        state = how;
        return this;
    }

    public Samples transactions(String store, String protocol, int threads, double... perSecond) {
        return transactions(store, protocol, threads, Map.of(), perSecond);
    }

    public Samples transactions(
            String store, String protocol, int threads, Map<Metric, Double> metrics, double... perSecond) {
        return add(
                TransactionBenchmark.class.getName() + ".commit",
                new JsonObject().add("store", store).add("protocol", protocol),
                threads,
                metrics,
                perSecond);
    }

    /** Two-phase commits with one iteration in each turn. */
    public Samples turns(String store, int threads, Map<Metric, Double> metrics, double... perSecond) {
        transactions(store, "2PC", threads, metrics, perSecond);
        JsonObject last = results.get(results.size() - 1).asObject();
        eachATurn(last.get("primaryMetric").asObject());
        last.get("secondaryMetrics")
                .asObject()
                .forEach(metric -> eachATurn(metric.getValue().asObject()));
        return this;
    }

    private static void eachATurn(JsonObject metric) {
        JsonArray turns = new JsonArray();
        for (JsonValue value : metric.get(RAW_DATA).asArray().get(0).asArray()) {
            turns.add(new JsonArray().add(value));
        }
        metric.set(RAW_DATA, turns);
    }

    /** Two-phase commits whose iterations had these shares of the compilers and of others beside them. */
    public Samples beside(String store, int threads, double[] compiler, double[] others, double... perSecond) {
        transactions(store, "2PC", threads, perSecond);
        results.get(results.size() - 1)
                .asObject()
                .get("secondaryMetrics")
                .asObject()
                .add(Metric.COMPILER.label(), metricOf(compiler))
                .add(Metric.OTHERS.label(), metricOf(others))
                .add(Metric.CPU.label(), metricOf(perSecond));
        return this;
    }

    public Samples work(String store, int threads, double... perSecond) {
        return add(
                WorkBenchmark.class.getName() + ".commit",
                new JsonObject().add("store", store),
                threads,
                Map.of(),
                perSecond);
    }

    public Samples inDatabase(
            String store, int threads, int addedMillis, Map<Metric, Double> metrics, double... perSecond) {
        return add(
                DatabaseBenchmark.class.getName() + ".commit",
                new JsonObject()
                        .add("store", store)
                        .add("protocol", "2PC")
                        .add("addedMillis", Integer.toString(addedMillis)),
                threads,
                metrics,
                perSecond);
    }

    public Samples statements(String store, int bytes, int clients, double... perSecond) {
        return add(
                StatementBenchmark.class.getName() + ".run",
                new JsonObject()
                        .add("store", store)
                        .add("bytes", Integer.toString(bytes))
                        .add("clients", Integer.toString(clients)),
                1,
                Map.of(),
                perSecond);
    }

    public Samples takeover(String store, double... millis) {
        return add(
                TakeoverBenchmark.class.getName() + ".open", new JsonObject().add("store", store), 1, Map.of(), millis);
    }

    public Samples recovery(String store, double... millis) {
        return add(
                RecoveryBenchmark.class.getName() + ".open", new JsonObject().add("store", store), 1, Map.of(), millis);
    }

    public Samples disk(DiskKind kind, int writers, double p50Micros, double... perSecond) {
        return add(
                DiskBenchmark.class.getName() + ".write",
                new JsonObject().add("device", kind.label()),
                writers,
                Map.of(Metric.P50, p50Micros),
                perSecond);
    }

    public Path in(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, "results", ".json");
        Files.writeString(file, results.toString());
        return file;
    }

    public Results read(Path directory) throws IOException {
        return Results.read(in(directory));
    }

    private Samples add(
            String benchmark, JsonObject params, int threads, Map<Metric, Double> metrics, double... perSecond) {
        JsonObject secondary = new JsonObject();
        metrics.forEach((metric, value) -> secondary.add(
                metric.label(),
                metricOf(Arrays.stream(perSecond).map(each -> value).toArray())));
        JsonObject facts = new JsonObject();
        machine.forEach(facts::add);
        results.add(new JsonObject()
                .add("benchmark", benchmark)
                .add("threads", threads)
                .add("params", params)
                .add("primaryMetric", metricOf(perSecond))
                .add("secondaryMetrics", secondary)
                .add("machine", facts)
                .add("run", state.toJson()));
        return this;
    }

    private static JsonObject metricOf(double... values) {
        return new JsonObject().add(RAW_DATA, new JsonArray().add(Json.array(values)));
    }
}
