package io.tallystick.benchmarks;

import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far a run is. It is saved with the figures after each step, so that what was measured is worth something however the
 * run ends.
 *
 * @param planned steps of the whole run
 * @param done steps that are behind us, measured or failed
 * @param arguments of the command line, for those who want to go on with it
 * @param missing what has no figure, and why
 */
record RunState(int planned, int done, List<String> arguments, Map<String, String> missing) {
    /** Of a file that does not say. */
    static final RunState UNKNOWN = new RunState(0, 0, List.of(), Map.of());

    private static final String PLANNED = "planned";
    private static final String DONE = "done";
    private static final String ARGUMENTS = "arguments";
    private static final String MISSING = "missing";

    RunState {
        arguments = List.copyOf(arguments);
        missing = Collections.unmodifiableMap(new LinkedHashMap<>(missing));
    }

    /** Whether steps of the plan were never begun. */
    boolean isPartial() {
        return done < planned;
    }

    JsonObject toJson() {
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

    static RunState of(JsonObject json) {
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
