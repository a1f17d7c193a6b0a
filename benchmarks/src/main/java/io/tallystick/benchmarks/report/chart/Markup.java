package io.tallystick.benchmarks.report.chart;

import java.util.ArrayDeque;
import java.util.Deque;

/** HTML or SVG, put together element by element. Text and attributes are escaped; elements are closed in order. */
public class Markup {
    private final StringBuilder out = new StringBuilder();
    private final Deque<String> open = new ArrayDeque<>();

    /** Opens an element; attributes are names and values in turn. */
    public Markup open(String name, Object... attributes) {
        tag(name, attributes);
        out.append('>');
        open.push(name);
        return this;
    }

    /** Closes the element that was opened last. */
    public Markup close() {
        out.append("</").append(open.pop()).append('>');
        return this;
    }

    /** An element without content. */
    public Markup empty(String name, Object... attributes) {
        tag(name, attributes);
        out.append("/>");
        return this;
    }

    /** An element with text alone. */
    public Markup leaf(String name, String text, Object... attributes) {
        return open(name, attributes).text(text).close();
    }

    public Markup text(String text) {
        out.append(escaped(text));
        return this;
    }

    /** Appends text that is markup already. */
    public Markup raw(String markup) {
        out.append(markup);
        return this;
    }

    public Markup line() {
        out.append('\n');
        return this;
    }

    @Override
    public String toString() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("still open: " + open);
        }
        return out.toString();
    }

    private void tag(String name, Object... attributes) {
        out.append('<').append(name);
        for (int i = 0; i < attributes.length; i += 2) {
            out.append(' ')
                    .append(attributes[i])
                    .append("=\"")
                    .append(escaped(shown(attributes[i + 1])))
                    .append('"');
        }
    }

    /** Coordinates with a tenth of a pixel. */
    private static String shown(Object value) {
        return value instanceof Double number ? trimmed(number) : String.valueOf(value);
    }

    private static String trimmed(double number) {
        double rounded = Math.round(number * 10) / 10.0;
        return rounded == Math.rint(rounded) ? String.valueOf((long) rounded) : String.valueOf(rounded);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
