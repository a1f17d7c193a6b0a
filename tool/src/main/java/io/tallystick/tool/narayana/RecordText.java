package io.tallystick.tool.narayana;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.tallystick.narayana.logs.record.Fields;
import io.tallystick.tool.command.Escaped;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Decoded values as JSON, or as indented lines for people. A value is a text, a number, a truth value, null, further
 * named values, or a list of such.
 */
public final class RecordText {
    private static final String INDENT = "  ";

    private RecordText() {}

    /** The same names and values as in the lines, for programs. */
    public static JsonObject toJson(Map<String, Object> values) {
        JsonObject json = Json.object();
        values.forEach((name, value) -> json.add(name, jsonOf(value)));
        return json;
    }

    /** Indented lines for people; control characters are escaped. */
    public static List<String> toLines(Map<String, Object> values) {
        List<String> lines = new ArrayList<>();
        addLines(values, "", lines);
        return lines;
    }

    private static JsonValue jsonOf(Object value) {
        if (isNested(value)) {
            return toJson(nested(value));
        }
        if (value instanceof List<?> list) {
            JsonArray array = Json.array();
            list.forEach(each -> array.add(jsonOf(each)));
            return array;
        }
        if (value instanceof Integer number) {
            return Json.value(number);
        }
        if (value instanceof Long number) {
            return Json.value(number);
        }
        if (value instanceof Boolean truth) {
            return Json.value(truth);
        }
        return value == null ? Json.NULL : Json.value(value.toString());
    }

    private static void addLines(Map<String, Object> values, String indent, List<String> lines) {
        values.forEach((name, value) -> {
            if (isNested(value)) {
                lines.add(indent + name);
                addLines(nested(value), indent + INDENT, lines);
            } else if (value instanceof List<?> list) {
                int number = 0;
                for (Object each : list) {
                    number++;
                    lines.add(indent + name + ' ' + number + " of " + list.size());
                    addLines(nested(each), indent + INDENT, lines);
                }
                if (list.isEmpty()) {
                    lines.add(indent + name + "=none");
                }
            } else {
                lines.add(indent + name + '=' + (value == null ? "none" : Escaped.of(value.toString())));
            }
        });
    }

    private static boolean isNested(Object value) {
        return value instanceof Fields || value instanceof Map<?, ?>;
    }

    @SuppressWarnings("unchecked") // the names of decoded values are texts
    private static Map<String, Object> nested(Object value) {
        return value instanceof Fields fields ? fields.values() : (Map<String, Object>) value;
    }
}
