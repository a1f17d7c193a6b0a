package io.tallystick.benchmarks.report.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A row for each store, a column for each number of threads; bars are to scale within a column, with the figure
 * beside.
 */
public final class BarChart {
    private static final double NAMES = 252;
    private static final double ROW = 27;
    private static final double HEAD = 30;
    private static final double BAR = 15;
    private static final double FIGURE = 66;
    private static final double GAP = 14;
    private static final double NARROW = 480;

    private final double width;
    private final List<String> columns;
    private final List<Row> rows = new ArrayList<>();
    private final Function<Double, String> format;

    private record Row(StoreLook look, List<Optional<Double>> values) {}

    /**
     * @param width pixels, which the page scales
     * @param columns their titles
     * @param format writes a figure
     */
    public BarChart(double width, List<String> columns, Function<Double, String> format) {
        this.width = width;
        this.columns = List.copyOf(columns);
        this.format = format;
    }

    /** Adds a store with its values, one for each column if it was measured. A store without values is left out. */
    public BarChart row(StoreLook look, List<Optional<Double>> values) {
        if (values.size() != columns.size()) {
            throw new IllegalArgumentException(values.size() + " values for " + columns.size() + " columns");
        }
        if (values.stream().anyMatch(Optional::isPresent)) {
            rows.add(new Row(look, List.copyOf(values)));
        }
        return this;
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** A drawing for each column, as wide as a telephone. */
    public List<String> columnSvgs(String description) {
        List<String> drawings = new ArrayList<>();
        for (int c = 0; c < columns.size(); c++) {
            BarChart one = new BarChart(NARROW, List.of(columns.get(c)), format);
            for (Row row : rows) {
                one.row(row.look(), List.of(row.values().get(c)));
            }
            drawings.add(one.svg(description + ", " + columns.get(c)));
        }
        return drawings;
    }

    public String svg(String description) {
        double height = HEAD + rows.size() * ROW + 6;
        double column = (width - NAMES) / columns.size();
        Markup svg = new Markup();
        svg.open(
                "svg",
                "viewBox",
                "0 0 " + Math.round(width) + " " + Math.round(height),
                "role",
                "img",
                "class",
                "chart",
                "aria-label",
                description);
        for (int c = 0; c < columns.size(); c++) {
            double x = NAMES + c * column;
            svg.leaf("text", columns.get(c), "class", "axis", "x", x, "y", 17.0);
            svg.empty("line", "class", "base", "x1", x, "x2", x, "y1", HEAD - 4, "y2", height - 4);
        }
        for (int r = 0; r < rows.size(); r++) {
            draw(svg, rows.get(r), HEAD + r * ROW, column);
        }
        return svg.close().line().toString();
    }

    private void draw(Markup svg, Row row, double y, double column) {
        double room = Math.max(10, column - FIGURE - GAP);
        svg.open("g", "class", "series", "data-store", row.look().store());
        row.look().draw(svg, 8, y + ROW / 2 - 2, 5);
        svg.leaf("text", row.look().title(), "class", "name", "x", 22.0, "y", y + ROW / 2 + 3);
        for (int c = 0; c < columns.size(); c++) {
            double x = NAMES + c * column;
            Optional<Double> value = row.values().get(c);
            if (value.isEmpty()) {
                svg.leaf("text", "–", "class", "axis", "x", x + 6, "y", y + ROW / 2 + 3);
                continue;
            }
            double length = Math.max(1.5, room * value.get() / highest(c));
            svg.empty(
                    "rect",
                    "class",
                    "bar " + row.look().colour() + (row.look().mark().filled() ? "" : " hollow"),
                    "x",
                    x,
                    "y",
                    y + (ROW - BAR) / 2 - 2,
                    "width",
                    length,
                    "height",
                    BAR);
            svg.leaf("text", format.apply(value.get()), "class", "figure", "x", x + length + 6, "y", y + ROW / 2 + 3);
        }
        svg.close();
    }

    private double highest(int column) {
        double highest = rows.stream()
                .flatMap(row -> row.values().get(column).stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1);
        return highest > 0 ? highest : 1;
    }
}
