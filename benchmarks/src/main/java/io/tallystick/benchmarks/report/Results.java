package io.tallystick.benchmarks.report;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import com.eclipsesource.json.ParseException;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DatabaseBenchmark;
import io.tallystick.benchmarks.measure.DiskBenchmark;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.measure.RecoveryBenchmark;
import io.tallystick.benchmarks.measure.RunState;
import io.tallystick.benchmarks.measure.SliceMeter;
import io.tallystick.benchmarks.measure.SliceResult;
import io.tallystick.benchmarks.measure.StatementBenchmark;
import io.tallystick.benchmarks.measure.TakeoverBenchmark;
import io.tallystick.benchmarks.measure.TransactionBenchmark;
import io.tallystick.benchmarks.measure.WorkBenchmark;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

/**
 * The results of a run, in and out of a file. The file is JMH's own JSON, an array of results that JMH's viewers can
 * open, a line each, with three keys more: {@code machine}, the facts of {@link Machine}; {@code run}, the {@link
 * RunState}; and {@code slices}, the rates of {@link SliceMeter} for each JVM. docs/bench.md describes it.
 */
public final class Results {
    private static final String MACHINE = "machine";
    private static final String RUN = "run";
    private static final String SLICES = "slices";
    private static final String SLICE_SECONDS = "seconds";
    private static final String RATES = "rates";
    static final String RAW_DATA = "rawData";
    private static final String PRIMARY = "primaryMetric";
    private static final String SECONDARY = "secondaryMetrics";
    /** The method of a benchmark of ours, in any of our packages: a recorded run keeps the names of its version. */
    private static final Pattern OURS = Pattern.compile("io\\.tallystick\\.benchmarks\\.(?:\\w+\\.)*(\\w+)\\.\\w+");

    private static final String TRANSACTIONS = TransactionBenchmark.class.getSimpleName();
    private static final String WORK = WorkBenchmark.class.getSimpleName();
    private static final String RECOVERY = RecoveryBenchmark.class.getSimpleName();
    private static final String DISK_WRITES = DiskBenchmark.class.getSimpleName();

    private static final String IN_DATABASE = DatabaseBenchmark.class.getSimpleName();
    private static final String STATEMENTS = StatementBenchmark.class.getSimpleName();
    private static final String TAKEOVER = TakeoverBenchmark.class.getSimpleName();

    private final Map<Cell, Measurement> measurements;
    private final Machine machine;
    private final RunState state;
    private final JsonArray json;

    private Results(Map<Cell, Measurement> measurements, Machine machine, RunState state, JsonArray json) {
        this.measurements = measurements;
        this.machine = machine;
        this.state = state;
        this.json = json;
    }

    /** The results of JMH; all rounds of one cell were merged into each. */
    public static Results of(Collection<RunResult> runResults, Machine machine, RunState state) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ResultFormatFactory.getInstance(ResultFormatType.JSON, new PrintStream(bytes, true, StandardCharsets.UTF_8))
                .writeOut(runResults);
        JsonArray array = Json.parse(bytes.toString(StandardCharsets.UTF_8)).asArray();
        Iterator<RunResult> each = runResults.iterator();
        for (JsonValue value : array) {
            JsonObject result = value.asObject();
            JsonArray slices = slices(each.next());
            if (!slices.isEmpty()) {
                double seconds = (double) SliceMeter.SLICE_NANOS / TimeUnit.SECONDS.toNanos(1);
                result.set(SLICES, new JsonObject().add(SLICE_SECONDS, seconds).add(RATES, slices));
            }
        }
        return labelled(array, machine, state);
    }

    /** These results and {@code later} ones of the same run, round by round. */
    public Results and(Results later) {
        Map<Cell, JsonObject> merged = new LinkedHashMap<>();
        for (JsonArray array : List.of(json, later.json)) {
            for (JsonValue value : array) {
                JsonObject result = value.asObject();
                cellOf(result)
                        .ifPresent(cell ->
                                merged.merge(cell, Json.parse(result.toString()).asObject(), Results::joined));
            }
        }
        JsonArray array = new JsonArray();
        merged.values().forEach(array::add);
        return labelled(array, later.machine, later.state);
    }

    private static Results labelled(JsonArray array, Machine machine, RunState state) {
        for (JsonValue value : array) {
            JsonObject result = value.asObject();
            int forks = result.get(PRIMARY).asObject().get(RAW_DATA).asArray().size();
            result.set("forks", forks).set(MACHINE, toJson(machine)).set(RUN, state.toJson());
        }
        return parse(array);
    }

    /**
     * Reads a file that {@link #write} wrote.
     *
     * @throws UsageException the file does not exist or has no results; the message is one line
     */
    public static Results read(Path file) {
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

    /** Replaces the file at once, so that a run that is killed meanwhile leaves the figures of the step before. */
    public void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        try (Writer writer = Files.newBufferedWriter(unfinished, StandardCharsets.UTF_8)) {
            String separator = "[\n";
            for (JsonValue result : json) {
                writer.write(separator);
                result.writeTo(writer);
                separator = ",\n";
            }
            writer.write("\n]\n");
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    public Machine machine() {
        return machine;
    }

    public RunState state() {
        return state;
    }

    public Map<Cell, Measurement> measurements() {
        return measurements;
    }

    /** The number of measurements of each cell. */
    public Map<Cell, Integer> rounds() {
        Map<Cell, Integer> rounds = new LinkedHashMap<>();
        measurements.forEach(
                (cell, measurement) -> rounds.put(cell, measurement.turns().size()));
        return rounds;
    }

    public Optional<Measurement> of(Cell cell) {
        return Optional.ofNullable(measurements.get(cell));
    }

    private static Results parse(JsonArray array) {
        Map<Cell, Measurement> measurements = new LinkedHashMap<>();
        Machine machine = Machine.UNKNOWN;
        RunState state = RunState.UNKNOWN;
        for (JsonValue value : array) {
            JsonObject result = value.asObject();
            Optional<Cell> cell = cellOf(result);
            if (cell.isPresent()) {
                measurements.put(cell.get(), measurementOf(result));
                machine = machineOf(result).orElse(machine);
                state = result.get(RUN) == null
                        ? state
                        : RunState.of(result.get(RUN).asObject());
            }
        }
        return new Results(measurements, machine, state, array);
    }

    private static Optional<Cell> cellOf(JsonObject result) {
        Matcher ours = OURS.matcher(result.getString("benchmark", ""));
        if (!ours.matches()) {
            return Optional.empty(); // another benchmark in the same file
        }
        String benchmark = ours.group(1);
        int threads = result.getInt("threads", 0);
        if (benchmark.equals(TRANSACTIONS)) {
            JsonObject params = result.get("params").asObject();
            return Optional.of(new Cell.Transactions(
                    params.get("store").asString(),
                    Protocol.labelled(params.get("protocol").asString()),
                    threads));
        }
        if (benchmark.equals(IN_DATABASE)) {
            JsonObject params = result.get("params").asObject();
            return Optional.of(new Cell.InDatabase(
                    params.get("store").asString(),
                    threads,
                    Integer.parseInt(params.get("addedMillis").asString())));
        }
        if (benchmark.equals(STATEMENTS)) {
            JsonObject params = result.get("params").asObject();
            return Optional.of(new Cell.Statements(
                    params.get("store").asString(),
                    Integer.parseInt(params.get("bytes").asString()),
                    Integer.parseInt(params.get("clients").asString())));
        }
        if (benchmark.equals(TAKEOVER)) {
            return Optional.of(new Cell.Takeover(
                    result.get("params").asObject().get("store").asString()));
        }
        if (benchmark.equals(WORK)) {
            return Optional.of(
                    new Cell.Work(result.get("params").asObject().get("store").asString(), threads));
        }
        if (benchmark.equals(RECOVERY)) {
            return Optional.of(new Cell.Recovery(
                    result.get("params").asObject().get("store").asString()));
        }
        if (benchmark.equals(DISK_WRITES)) {
            JsonObject params = result.get("params").asObject();
            return Optional.of(new Cell.DiskWrites(params.get("device").asString(), threads));
        }
        return Optional.empty(); // an experiment of ours
    }

    private static Measurement measurementOf(JsonObject result) {
        JsonArray rates = result.get(PRIMARY).asObject().get(RAW_DATA).asArray();
        JsonObject secondary = result.get(SECONDARY).asObject();
        SoundIterations sound = SoundIterations.of(secondary, rates);
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        for (JsonObject.Member member : secondary) {
            Metric.labelled(member.getName()).ifPresent(metric -> {
                List<Double> values =
                        sound.counted(member.getValue().asObject().get(RAW_DATA).asArray());
                if (!values.isEmpty()) {
                    metrics.put(
                            metric,
                            metric == Metric.MAX
                                    ? values.stream().max(Double::compare).orElseThrow()
                                    : Measurement.median(values));
                }
            });
        }
        List<Double> slices = result.get(SLICES) == null
                ? List.of()
                : numbers(result.get(SLICES).asObject().get(RATES).asArray());
        List<Double> turns = new ArrayList<>();
        for (int turn = 0; turn < rates.size(); turn++) {
            turns.add(Measurement.median(sound.ofTurn(rates, turn)));
        }
        return new Measurement(sound.counted(rates), metrics, slices, turns, sound.doubt());
    }

    private static JsonArray slices(RunResult run) {
        JsonArray forks = new JsonArray();
        for (BenchmarkResult fork : run.getBenchmarkResults()) {
            JsonArray rates = new JsonArray();
            fork.getIterationResults().stream()
                    .flatMap(iteration -> SliceResult.of(iteration).stream())
                    .forEach(rate -> rates.add(Math.round(rate)));
            if (!rates.isEmpty()) {
                forks.add(rates);
            }
        }
        return forks;
    }

    /** Appends the rounds of the second result to those of the first. */
    private static JsonObject joined(JsonObject first, JsonObject second) {
        joinMetric(first.get(PRIMARY).asObject(), second.get(PRIMARY).asObject());
        JsonObject metrics = first.get(SECONDARY).asObject();
        for (JsonObject.Member member : second.get(SECONDARY).asObject()) {
            if (metrics.get(member.getName()) == null) {
                metrics.add(member.getName(), member.getValue());
            } else {
                joinMetric(
                        metrics.get(member.getName()).asObject(),
                        member.getValue().asObject());
            }
        }
        if (first.get(SLICES) == null && second.get(SLICES) != null) {
            first.add(SLICES, second.get(SLICES));
        } else if (second.get(SLICES) != null) {
            JsonArray rates = first.get(SLICES).asObject().get(RATES).asArray();
            second.get(SLICES).asObject().get(RATES).asArray().forEach(rates::add);
        }
        return first;
    }

    /** Replaces JMH's own summary, which covers one run only, by figures of both. */
    private static void joinMetric(JsonObject first, JsonObject second) {
        JsonArray forks = first.get(RAW_DATA).asArray();
        second.get(RAW_DATA).asArray().forEach(forks::add);
        DoubleSummaryStatistics all =
                rawData(first).stream().mapToDouble(Double::doubleValue).summaryStatistics();
        first.set("score", all.getAverage()).set("scoreError", "NaN");
        first.set("scoreConfidence", new JsonArray().add("NaN").add("NaN"));
        first.set("scorePercentiles", new JsonObject().add("0.0", all.getMin()).add("100.0", all.getMax()));
    }

    private static List<Double> rawData(JsonObject metric) {
        return numbers(metric.get(RAW_DATA).asArray());
    }

    private static List<Double> numbers(JsonArray forks) {
        List<Double> values = new ArrayList<>();
        for (JsonValue fork : forks) {
            for (JsonValue iteration : fork.asArray()) {
                if (iteration.isNumber()) { // JMH writes NaN as text
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
