package io.tallystick.benchmarks.report.chart;

import io.tallystick.benchmarks.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The latency of commits with one number of threads: from the median to the longest, a row for each store. */
public final class LatencyChart {
    private static final double WIDTH = 530;
    private static final double NAMES = 206;
    private static final double RIGHT = 30;
    private static final double HEAD = 34;
    private static final double ROW = 25;
    private static final double FOOT = 26;
    private static final double MARK = 4.5;
    /** With more of them below the axis they would touch. */
    private static final int MOST_LABELS = 5;

    private final String title;
    private final List<Row> rows = new ArrayList<>();

    /**
     * Latencies of one store, microseconds.
     *
     * @param look the look of its line
     * @param p50 of half the commits, at most
     * @param p99 of 99 %
     * @param p999 of 99.9 %
     * @param max of all that were timed
     */
    public record Row(StoreLook look, double p50, double p99, double p999, double max) {}

    public LatencyChart(String title) {
        this.title = title;
    }

    public LatencyChart row(Row row) {
        rows.add(row);
        return this;
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    public String svg() {
        double height = HEAD + rows.size() * ROW + FOOT;
        Axis across = Axis.logarithmic(
                rows.stream().mapToDouble(Row::p50).min().orElse(1),
                rows.stream().mapToDouble(Row::max).max().orElse(10),
                NAMES,
                WIDTH - RIGHT);
        Markup svg = new Markup();
        svg.open(
                "svg",
                "viewBox",
                "0 0 " + Math.round(WIDTH) + " " + Math.round(height),
                "role",
                "img",
                "class",
                "chart",
                "aria-label",
                "latency of a commit, " + title);
        svg.leaf("text", title, "class", "panel", "x", 0.0, "y", 17.0);
        for (double tick : across.ticks()) {
            double x = across.at(tick);
            svg.empty("line", "class", "grid", "x1", x, "x2", x, "y1", HEAD - 4, "y2", height - FOOT);
        }
        for (double tick : decades(across)) {
            svg.leaf("text", unit(tick), "class", "axis middle", "x", across.at(tick), "y", height - 8);
        }
        for (int i = 0; i < rows.size(); i++) {
            draw(svg, rows.get(i), HEAD + (i + 0.5) * ROW, across);
        }
        return svg.close().line().toString();
    }

    private static void draw(Markup svg, Row row, double y, Axis across) {
        String colour = row.look().colour();
        svg.open("g", "class", "series", "data-store", row.look().store());
        svg.leaf(
                "title",
                row.look().title() + ": half within " + unit(row.p50()) + ", 99 % " + unit(row.p99()) + ", 99.9 % "
                        + unit(row.p999()) + ", longest " + unit(row.max()));
        svg.leaf("text", row.look().title(), "class", "name", "x", 0.0, "y", y + 5);
        line(svg, "thin " + colour, across.at(row.p50()), across.at(row.max()), y);
        line(svg, "thick " + colour, across.at(row.p50()), across.at(row.p99()), y);
        row.look().draw(svg, across.at(row.p50()), y, MARK);
        tick(svg, colour, across.at(row.p99()), y, 8);
        tick(svg, colour, across.at(row.p999()), y, 6);
        double x = across.at(row.max());
        svg.empty("path", "class", "cross " + colour, "d", cross(x, y));
        svg.close();
    }

    private static String cross(double x, double y) {
        return String.format(Locale.ROOT, "M%.1f %.1fl8 8m0 -8l-8 8", x - 4, y - 4);
    }

    private static void line(Markup svg, String kind, double from, double to, double y) {
        svg.empty("line", "class", kind, "x1", from, "x2", Math.max(from + 0.5, to), "y1", y, "y2", y);
    }

    private static void tick(Markup svg, String colour, double x, double y, double half) {
        svg.empty("line", "class", "tick " + colour, "x1", x, "x2", x, "y1", y - half, "y2", y + half);
    }

    private static List<Double> decades(Axis axis) {
        List<Double> decades = axis.ticks().stream()
                .filter(tick -> Math.abs(Math.log10(tick) - Math.rint(Math.log10(tick))) < 1e-6)
                .toList();
        return decades.size() <= MOST_LABELS
                ? decades
                : decades.stream()
                        .filter(tick -> Math.round(Math.log10(tick)) % 2 == 0)
                        .toList();
    }

    /** Microseconds as people write them. */
    public static String unit(double micros) {
        if (micros >= 999_500) {
            return Text.brief(micros / 1_000_000) + " s";
        }
        return micros >= 999.5 ? Text.brief(micros / 1_000) + " ms" : Text.brief(micros) + " µs";
    }
}
