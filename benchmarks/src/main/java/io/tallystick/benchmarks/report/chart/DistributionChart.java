package io.tallystick.benchmarks.report.chart;

import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Measurement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** "x or better": the share of the slices of time with at least a rate, a curve for each store. */
public final class DistributionChart {
    private static final double WIDTH = 530;
    private static final double HEIGHT = 330;
    private static final double LEFT = 52;
    private static final double RIGHT = 222;
    private static final double TOP = 34;
    private static final double BOTTOM = 48;
    private static final double LABEL_HEIGHT = 24;

    private final String title;
    private final List<Curve> curves = new ArrayList<>();

    private record Curve(StoreLook look, List<Double> rates) {
        private double middle() {
            return Measurement.median(rates);
        }
    }

    public DistributionChart(String title) {
        this.title = title;
    }

    /** One store; rates ascend. */
    public DistributionChart curve(StoreLook look, List<Double> rates) {
        curves.add(new Curve(look, List.copyOf(rates)));
        return this;
    }

    public boolean isEmpty() {
        return curves.isEmpty();
    }

    public String svg() {
        double highest = curves.stream()
                .mapToDouble(curve -> curve.rates().get(curve.rates().size() - 1))
                .max()
                .orElse(1);
        Axis across = Axis.linear(highest, LEFT, WIDTH - RIGHT);
        Axis down = new Axis(Axis.Scale.LINEAR, 0, 1, HEIGHT - BOTTOM, TOP);
        Markup svg = new Markup();
        svg.open(
                "svg",
                "viewBox",
                "0 0 530 330",
                "role",
                "img",
                "class",
                "chart",
                "aria-label",
                "share of the slices of time with at least a rate, " + title);
        svg.leaf("text", title, "class", "panel", "x", 0.0, "y", 17.0);
        for (double share : new double[] {0, 0.25, 0.5, 0.75, 1}) {
            double y = down.at(share);
            svg.empty("line", "class", "grid", "x1", LEFT, "x2", WIDTH - RIGHT, "y1", y, "y2", y);
            svg.leaf("text", Math.round(share * 100) + " %", "class", "axis end", "x", LEFT - 8, "y", y + 5);
        }
        for (double tick : across.ticks()) {
            svg.leaf("text", Text.brief(tick), "class", "axis middle", "x", across.at(tick), "y", HEIGHT - BOTTOM + 20);
        }
        svg.leaf("text", "tx/s or better", "class", "axis middle", "x", (LEFT + WIDTH - RIGHT) / 2, "y", HEIGHT - 8);
        for (Curve curve : curves) {
            svg.open("g", "class", "series", "data-store", curve.look().store());
            svg.empty(
                    "path",
                    "class",
                    "line " + curve.look().colour(),
                    "d",
                    path(curve.rates(), across, down),
                    "stroke-dasharray",
                    curve.look().dashes().isEmpty() ? "none" : curve.look().dashes());
            svg.close();
        }
        labels(svg);
        return svg.close().line().toString();
    }

    /** Level up to the first rate, which all slices reach; then a step down at each. */
    private static String path(List<Double> rates, Axis across, Axis down) {
        StringBuilder path = new StringBuilder(String.format(Locale.ROOT, "M%.1f %.1f", across.at(0), down.at(1)));
        for (int i = 0; i < rates.size(); i++) {
            path.append(String.format(
                    Locale.ROOT, "H%.1fV%.1f", across.at(rates.get(i)), down.at(1 - (i + 1.0) / rates.size())));
        }
        return path.toString();
    }

    /** At the right, the fastest first, each with a piece of its line. */
    private void labels(Markup svg) {
        List<Curve> ordered = curves.stream()
                .sorted(Comparator.comparingDouble(Curve::middle).reversed())
                .toList();
        double x = WIDTH - RIGHT + 14;
        for (int i = 0; i < ordered.size(); i++) {
            StoreLook look = ordered.get(i).look();
            double y = TOP + 10 + i * LABEL_HEIGHT;
            svg.open("g", "class", "series", "data-store", look.store());
            svg.empty(
                    "path",
                    "class",
                    "line " + look.colour(),
                    "d",
                    String.format(Locale.ROOT, "M%.1f %.1fh20", x, y - 5),
                    "stroke-dasharray",
                    look.dashes().isEmpty() ? "none" : look.dashes());
            svg.leaf("text", look.title(), "class", "small label " + look.colour(), "x", x + 26, "y", y);
            svg.close();
        }
    }
}
