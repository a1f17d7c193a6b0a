package io.tallystick.tool.narayana;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.tallystick.tool.command.Escaped;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Named values in their order: text, numbers, booleans, further fields, and lists of fields. They are shown as JSON, or
 * as indented lines for people.
 */
final class Fields {
    private static final String INDENT = "  ";

    private final Map<String, Object> values = new LinkedHashMap<>();

    /** Adds a value; null if Narayana wrote null. */
    Fields put(String name, Object value) {
        values.put(name, value);
        return this;
    }

    /** A value; null if there is none. */
    Object get(String name) {
        return values.get(name);
    }

    /** Removes a value; null if there is none. */
    Object remove(String name) {
        return values.remove(name);
    }

    void putAll(Fields others) {
        values.putAll(others.values);
    }

    JsonObject toJson() {
        JsonObject json = Json.object();
        values.forEach((name, value) -> json.add(name, jsonOf(value)));
        return json;
    }

    private static JsonValue jsonOf(Object value) {
        if (value instanceof Fields fields) {
            return fields.toJson();
        }
        if (value instanceof List<?> list) {
            JsonArray array = Json.array();
            list.forEach(each -> array.add(jsonOf(each)));
            return array;
        }
        if (value instanceof Integer number) {
            return Json.value(number);
        }
        if (value instanceof Boolean truth) {
            return Json.value(truth);
        }
        return value == null ? Json.NULL : Json.value(value.toString());
    }

    List<String> toLines() {
        List<String> lines = new ArrayList<>();
        addLines("", lines);
        return lines;
    }

    private void addLines(String indent, List<String> lines) {
        values.forEach((name, value) -> {
            if (value instanceof Fields fields) {
                lines.add(indent + name);
                fields.addLines(indent + INDENT, lines);
            } else if (value instanceof List<?> list) {
                int number = 0;
                for (Object each : list) {
                    number++;
                    lines.add(indent + name + ' ' + number + " of " + list.size());
                    ((Fields) each).addLines(indent + INDENT, lines);
                }
                if (list.isEmpty()) {
                    lines.add(indent + name + "=none");
                }
            } else {
                lines.add(indent + name + '=' + (value == null ? "none" : Escaped.of(value.toString())));
            }
        });
    }
}
