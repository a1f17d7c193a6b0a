package io.tallystick.benchmarks.report.chart;

import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.report.Comparison;
import java.util.List;

/**
 * Two runs, a row for each cell: the ratio of the later to the earlier run, and the range of that ratio over the
 * iterations.
 */
public final class ComparisonChart {
    private static final double WIDTH = 1080;
    private static final double NAMES = 330;
    private static final double RIGHT = 210;
    private static final double HEAD = 34;
    private static final double ROW = 23;

    private final List<Comparison.Row> rows;

    public ComparisonChart(List<Comparison.Row> rows) {
        this.rows = List.copyOf(rows);
    }

    public String svg() {
        double height = HEAD + rows.size() * ROW + 8;
        double widest = rows.stream()
                .mapToDouble(row -> Math.max(row.highestRatio(), 1 / row.lowestRatio()))
                .max()
                .orElse(2);
        double limit = Math.min(8, Math.max(1.25, widest));
        Axis across = new Axis(Axis.Scale.LOGARITHMIC, 1 / limit, limit, NAMES, WIDTH - RIGHT);
        Markup svg = new Markup();
        svg.open(
                "svg",
                "viewBox",
                "0 0 1080 " + Math.round(height),
                "role",
                "img",
                "class",
                "chart",
                "aria-label",
                "ratio to the earlier run, cell by cell");
        for (double tick : new double[] {0.125, 0.25, 0.5, 0.8, 1, 1.25, 2, 4, 8}) {
            boolean crowded = limit > 3 && (tick == 0.8 || tick == 1.25);
            if (!crowded && tick >= across.low() * 0.999 && tick <= across.high() * 1.001) {
                double x = across.at(tick);
                svg.empty("line", "class", tick == 1 ? "base" : "grid", "x1", x, "x2", x, "y1", HEAD - 8, "y2", height);
                svg.leaf("text", Text.brief(tick) + "×", "class", "axis middle", "x", x, "y", 16.0);
            }
        }
        for (int i = 0; i < rows.size(); i++) {
            draw(svg, rows.get(i), HEAD + (i + 0.5) * ROW, across);
        }
        return svg.close().line().toString();
    }

    private static void draw(Markup svg, Comparison.Row row, double y, Axis across) {
        String kind =
                switch (row.verdict()) {
                    case FASTER -> "c1";
                    case SAME -> "c0";
                    case SLOWER -> "c4";
                };
        svg.open("g", "class", "series");
        svg.leaf("text", row.cell().label(), "class", "name", "x", 0.0, "y", y + 5);
        svg.empty(
                "line",
                "class",
                "thick " + kind,
                "x1",
                across.at(row.lowestRatio()),
                "x2",
                across.at(row.highestRatio()),
                "y1",
                y,
                "y2",
                y);
        svg.empty("circle", "class", "mark " + kind, "cx", across.at(row.change() + 1), "cy", y, "r", 4.5);
        svg.leaf(
                "text",
                Text.times(row.change() + 1).replace('x', '×') + "  "
                        + row.verdict().words(),
                "class",
                "figure",
                "x",
                WIDTH - RIGHT + 16,
                "y",
                y + 5);
        svg.close();
    }
}
