package io.tallystick.benchmarks;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import com.eclipsesource.json.ParseException;
import com.eclipsesource.json.WriterConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

/**
 * The results of a run, in and out of a file. The file is JMH's own JSON, an array of results that JMH's viewers can
 * open, with one key more in each: {@code machine}, the facts of {@link Machine}.
 */
final class Results {
    private static final String MACHINE = "machine";
    private static final String TRANSACTIONS = TransactionBenchmark.class.getName() + ".";
    private static final String DISK_WRITES = DiskBenchmark.class.getName() + ".";

    private final Map<Cell, Measurement> measurements;
    private final Machine machine;
    private final JsonArray json;

    private Results(Map<Cell, Measurement> measurements, Machine machine, JsonArray json) {
        this.measurements = measurements;
        this.machine = machine;
        this.json = json;
    }

    /** The results of JMH; {@code rounds} of one cell were merged into each. */
    static Results of(Collection<RunResult> runResults, int rounds, Machine machine) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ResultFormatFactory.getInstance(ResultFormatType.JSON, new PrintStream(bytes, true, StandardCharsets.UTF_8))
                .writeOut(runResults);
        JsonArray array = Json.parse(bytes.toString(StandardCharsets.UTF_8)).asArray();
        for (JsonValue result : array) {
            result.asObject().set("forks", rounds).set(MACHINE, toJson(machine));
        }
        return parse(array);
    }

    /**
     * Reads a file that {@link #write} wrote.
     *
     * @throws UsageException it is not there or something else, in one line
     */
    static Results read(Path file) {
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            Results results = parse(Json.parse(reader).asArray());
            if (results.measurements.isEmpty()) {
                throw new UsageException("file " + file + " has no results of this benchmark");
            }
            return results;
        } catch (NoSuchFileException missing) {
            throw new UsageException("file " + file + " does not exist", missing);
        } catch (IOException | ParseException | UnsupportedOperationException | NullPointerException unreadable) {
            // The JSON library answers a missing key with null and a wrong kind of value with an unsupported operation.
            throw new UsageException(
                    "file " + file + " is not a result of this benchmark (" + unreadable + ")", unreadable);
        }
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        try (Writer writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            json.writeTo(writer, WriterConfig.PRETTY_PRINT);
            writer.write('\n');
        }
    }

    Machine machine() {
        return machine;
    }

    Map<Cell, Measurement> measurements() {
        return measurements;
    }

    Optional<Measurement> of(Cell cell) {
        return Optional.ofNullable(measurements.get(cell));
    }

    private static Results parse(JsonArray array) {
        Map<Cell, Measurement> measurements = new LinkedHashMap<>();
        Machine machine = Machine.UNKNOWN;
        for (JsonValue value : array) {
            JsonObject result = value.asObject();
            Optional<Cell> cell = cellOf(result);
            if (cell.isPresent()) {
                measurements.put(cell.get(), measurementOf(result));
                machine = machineOf(result).orElse(machine);
            }
        }
        return new Results(measurements, machine, array);
    }

    private static Optional<Cell> cellOf(JsonObject result) {
        String benchmark = result.getString("benchmark", "");
        int threads = result.getInt("threads", 0);
        if (benchmark.startsWith(TRANSACTIONS)) {
            JsonObject params = result.get("params").asObject();
            return Optional.of(new Cell.Transactions(
                    params.get("store").asString(),
                    Protocol.labelled(params.get("protocol").asString()),
                    threads));
        }
        if (benchmark.startsWith(DISK_WRITES)) {
            JsonObject params = result.get("params").asObject();
            return Optional.of(new Cell.DiskWrites(params.get("device").asString(), threads));
        }
        return Optional.empty(); // another benchmark in the same file
    }

    private static Measurement measurementOf(JsonObject result) {
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        for (JsonObject.Member member : result.get("secondaryMetrics").asObject()) {
            Metric.labelled(member.getName()).ifPresent(metric -> {
                List<Double> values = rawData(member.getValue().asObject());
                if (!values.isEmpty()) {
                    metrics.put(
                            metric,
                            metric == Metric.MAX
                                    ? values.stream().max(Double::compare).orElseThrow()
                                    : Measurement.median(values));
                }
            });
        }
        return new Measurement(rawData(result.get("primaryMetric").asObject()), metrics);
    }

    private static List<Double> rawData(JsonObject metric) {
        List<Double> values = new ArrayList<>();
        for (JsonValue fork : metric.get("rawData").asArray()) {
            for (JsonValue iteration : fork.asArray()) {
                if (iteration.isNumber()) { // JMH writes what is not a number as text
                    values.add(iteration.asDouble());
                }
            }
        }
        return values;
    }

    private static JsonObject toJson(Machine machine) {
        JsonObject object = new JsonObject();
        machine.facts().forEach(object::set);
        return object;
    }

    private static Optional<Machine> machineOf(JsonObject result) {
        if (result.get(MACHINE) == null) {
            return Optional.empty();
        }
        Map<String, String> facts = new LinkedHashMap<>();
        for (JsonObject.Member member : result.get(MACHINE).asObject()) {
            facts.put(member.getName(), member.getValue().asString());
        }
        return Optional.of(new Machine(facts));
    }
}
