package io.tallystick.narayana.logs.record;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Named values in their order: text, numbers, booleans, further fields, and lists of fields. */
public final class Fields {
    private final Map<String, Object> values = new LinkedHashMap<>();

    Fields() {}

    /**
     * The values by their names, in their order; it cannot be changed. A value is null, a {@link String}, an {@link
     * Integer}, a {@link Boolean}, {@code Fields}, or a {@link java.util.List} of {@code Fields}.
     */
    public Map<String, Object> values() {
        return Collections.unmodifiableMap(values);
    }

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
}
