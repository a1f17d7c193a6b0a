package io.tallystick.benchmarks.measure;

import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The progress of a run. It is saved with the figures after each step, so that the figures can be used however the run
 * ends.
 *
 * @param planned steps of the whole run
 * @param done steps that were measured or failed
 * @param arguments of the command line, to continue the run
 * @param missing the reason for each figure that is missing
 */
public record RunState(int planned, int done, List<String> arguments, Map<String, String> missing) {
    /** The state of a file that does not record it. */
    public static final RunState UNKNOWN = new RunState(0, 0, List.of(), Map.of());

    private static final String PLANNED = "planned";
    private static final String DONE = "done";
    private static final String ARGUMENTS = "arguments";
    private static final String MISSING = "missing";

    public RunState {
        arguments = List.copyOf(arguments);
        missing = Collections.unmodifiableMap(new LinkedHashMap<>(missing));
    }

    /** Whether steps of the plan were never begun. */
    public boolean isPartial() {
        return done < planned;
    }

    public JsonObject toJson() {
        JsonArray words = new JsonArray();
        arguments.forEach(words::add);
        JsonObject reasons = new JsonObject();
        missing.forEach(reasons::set);
        return new JsonObject()
                .add(PLANNED, planned)
                .add(DONE, done)
                .add(ARGUMENTS, words)
                .add(MISSING, reasons);
    }

    public static RunState of(JsonObject json) {
        List<String> arguments = new ArrayList<>();
        for (JsonValue word : json.get(ARGUMENTS).asArray()) {
            arguments.add(word.asString());
        }
        Map<String, String> missing = new LinkedHashMap<>();
        for (JsonObject.Member member : json.get(MISSING).asObject()) {
            missing.put(member.getName(), member.getValue().asString());
        }
        return new RunState(json.get(PLANNED).asInt(), json.get(DONE).asInt(), arguments, missing);
    }
}
