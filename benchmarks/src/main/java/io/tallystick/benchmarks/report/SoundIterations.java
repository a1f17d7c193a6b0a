package io.tallystick.benchmarks.report;

import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which iterations of a cell make its figures: those without company, in a JVM that was warm. What an iteration has
 * done does not count for that, only what others and the compilers did meanwhile. Where fewer than half are sound, all
 * of them make the figures, and these are in doubt.
 */
final class SoundIterations {
    private final List<List<Iteration>> turns;
    private final List<Iteration> unsound;
    private final int count;

    private SoundIterations(List<List<Iteration>> turns) {
        this.turns = turns;
        List<Iteration> all = turns.stream().flatMap(List::stream).toList();
        this.unsound = all.stream().filter(each -> !each.isSound()).toList();
        this.count = all.size();
    }

    /** The iterations of these metrics of JMH's. */
    static SoundIterations of(JsonObject metrics, JsonArray primary) {
        Optional<JsonArray> others = rawData(metrics, Metric.OTHERS);
        Optional<JsonArray> compiler = rawData(metrics, Metric.COMPILER);
        List<List<Iteration>> turns = new ArrayList<>();
        for (int turn = 0; turn < primary.size(); turn++) {
            List<Iteration> iterations = new ArrayList<>();
            for (int i = 0; i < primary.get(turn).asArray().size(); i++) {
                iterations.add(new Iteration(share(others, turn, i), share(compiler, turn, i)));
            }
            turns.add(iterations);
        }
        return new SoundIterations(turns);
    }

    /** Why the figures are in doubt, and no ratio is made of them. */
    Optional<String> doubt() {
        if (!isInDoubt()) {
            return Optional.empty();
        }
        List<Double> company = unsound.stream()
                .filter(Iteration::hasCompany)
                .map(Iteration::others)
                .toList();
        List<Double> cold = unsound.stream()
                .filter(each -> !each.hasCompany())
                .map(Iteration::compiler)
                .toList();
        String why = company.size() >= cold.size()
                ? "company: other programs used " + Text.percent(Measurement.median(company)) + " of the cores"
                : "not warm: the JVM's compilers used " + Text.percent(Measurement.median(cold)) + " of a core";
        return Optional.of(
                why + ", in " + Math.max(company.size(), cold.size()) + " of " + Text.counted(count, "iteration"));
    }

    /** The numbers of the iterations that make the figures, without those that are none. */
    List<Double> counted(JsonArray rawData) {
        List<Double> values = new ArrayList<>();
        for (int turn = 0; turn < rawData.size(); turn++) {
            values.addAll(counted(rawData, turn));
        }
        return values;
    }

    /** The same of one turn; of all its iterations if none of them is sound. */
    List<Double> ofTurn(JsonArray rawData, int turn) {
        List<Double> counted = counted(rawData, turn);
        return counted.isEmpty() ? numbers(rawData.get(turn).asArray()) : counted;
    }

    private List<Double> counted(JsonArray rawData, int turn) {
        JsonArray values = new JsonArray();
        JsonArray iterations = rawData.get(turn).asArray();
        for (int i = 0; i < iterations.size(); i++) {
            if (isInDoubt() || isSound(turn, i)) {
                values.add(iterations.get(i));
            }
        }
        return numbers(values);
    }

    private boolean isInDoubt() {
        return unsound.size() * 2 > count;
    }

    /** A metric may have iterations where the primary one has none. */
    private boolean isSound(int turn, int iteration) {
        return turn >= turns.size()
                || iteration >= turns.get(turn).size()
                || turns.get(turn).get(iteration).isSound();
    }

    private static List<Double> numbers(JsonArray values) {
        List<Double> numbers = new ArrayList<>();
        for (JsonValue value : values) {
            if (value.isNumber()) { // JMH writes NaN as text
                numbers.add(value.asDouble());
            }
        }
        return numbers;
    }

    private static Optional<JsonArray> rawData(JsonObject metrics, Metric metric) {
        return Optional.ofNullable(metrics.get(metric.label()))
                .map(found -> found.asObject().get(Results.RAW_DATA).asArray());
    }

    /** A share that was not measured is no reason for doubt. */
    private static double share(Optional<JsonArray> turns, int turn, int iteration) {
        return turns.filter(found -> turn < found.size())
                .map(found -> found.get(turn).asArray())
                .filter(found ->
                        iteration < found.size() && found.get(iteration).isNumber())
                .map(found -> found.get(iteration).asDouble())
                .orElse(0.0);
    }

    /**
     * What was beside an iteration.
     *
     * @param others share of the cores that other programs used
     * @param compiler share of one core that the compilers used
     */
    private record Iteration(double others, double compiler) {
        private boolean hasCompany() {
            return others > Measurement.MOST_OF_OTHERS;
        }

        private boolean isSound() {
            return !hasCompany() && compiler <= Measurement.MOST_OF_COMPILER;
        }
    }
}
