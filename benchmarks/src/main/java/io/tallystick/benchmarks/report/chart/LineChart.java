package io.tallystick.benchmarks.report.chart;

import io.tallystick.benchmarks.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Rates against numbers of threads, a line for each store with the spread of its iterations, labelled at its end. On a
 * linear scale stores in memory are not drawn.
 */
public final class LineChart {
    private static final double LABEL_HEIGHT = 21;
    private static final double MARK = 5;
    /** The distance between the whiskers of different lines. */
    private static final double WHISKER_STEP = 2.6;

    private final List<Line> lines = new ArrayList<>();

    /**
     * The measures of a chart.
     *
     * @param width pixels, with the space at each side
     * @param height pixels, without labels below
     * @param left the space for the figures of the vertical axis
     * @param right the space beside the lines
     * @param bottom the space for the horizontal axis
     * @param areLabelsBelow whether the stores are named below the lines, not at their ends
     */
    public record Frame(double width, double height, double left, double right, double bottom, boolean areLabelsBelow) {
        private static final double TOP = 26;

        /** For a page, or alone. */
        public static final Frame WIDE = new Frame(1080, 560, 78, 272, 62, false);
        /** For the greater part of a screen that is 16 wide and 9 high. */
        public static final Frame TALK = new Frame(1080, 800, 78, 272, 62, false);
        /** For a telephone. */
        public static final Frame NARROW = new Frame(400, 380, 48, 8, 56, true);

        private double ground() {
            return height - bottom;
        }

        private double end() {
            return width - right;
        }

        private double heightWith(int labels) {
            return areLabelsBelow ? height + labels * LABEL_HEIGHT : height;
        }
    }

    /**
     * One store.
     *
     * @param look the look of its line
     * @param points by ascending number of threads
     */
    record Line(StoreLook look, List<Point> points) {
        /** Whether the line is a reference in memory, not a durable store. */
        private boolean isCeiling() {
            return look.colour().equals("c0");
        }

        private Point last() {
            return points.get(points.size() - 1);
        }
    }

    /** A figure and its spread. */
    public record Point(int threads, double median, double lowest, double highest) {}

    public LineChart line(StoreLook look, List<Point> points) {
        if (!points.isEmpty()) {
            lines.add(new Line(look, List.copyOf(points)));
        }
        return this;
    }

    public boolean isEmpty() {
        return lines.isEmpty();
    }

    /** The chart, with {@code head} as the first of its children, such as a style sheet where it stands alone. */
    public String svg(Axis.Scale scale, String description, String head) {
        return svg(Frame.WIDE, scale, description, head);
    }

    /** The same in a frame of other measures. */
    public String svg(Frame frame, Axis.Scale scale, String description, String head) {
        if (scale == Axis.Scale.LINEAR && lines.stream().anyMatch(line -> !line.isCeiling())) {
            LineChart stores = new LineChart();
            lines.stream().filter(line -> !line.isCeiling()).forEach(stores.lines::add);
            return stores.drawn(frame, scale, description, head, ceilings());
        }
        return drawn(frame, scale, description, head, List.of());
    }

    private String drawn(Frame frame, Axis.Scale scale, String description, String head, List<String> notes) {
        Axis down = verticalAxis(frame, scale);
        int most = lines.stream().mapToInt(line -> line.last().threads()).max().orElse(2);
        Axis across = new Axis(Axis.Scale.LOGARITHMIC, 1, Math.max(2, most), frame.left() + 18, frame.end() - 12);
        Markup svg = new Markup();
        svg.open(
                "svg",
                "xmlns",
                "http://www.w3.org/2000/svg",
                "viewBox",
                "0 0 " + Math.round(frame.width()) + " " + Math.round(frame.heightWith(lines.size() + notes.size())),
                "role",
                "img",
                "class",
                "chart",
                "aria-label",
                description);
        svg.raw(head);
        grid(svg, frame, down);
        threads(svg, frame, across);
        for (int i = 0; i < lines.size(); i++) {
            whiskers(svg, lines.get(i), across, down, (i - (lines.size() - 1) / 2.0) * WHISKER_STEP);
        }
        for (Line line : lines) {
            draw(svg, line, across, down);
        }
        if (frame.areLabelsBelow()) {
            labelsBelow(svg, frame, notes);
        } else {
            labels(svg, frame, across, down);
            for (int i = 0; i < notes.size(); i++) {
                svg.leaf("text", notes.get(i), "class", "axis end", "x", frame.width(), "y", 14.0 + i * LABEL_HEIGHT);
            }
        }
        return svg.close().line().toString();
    }

    /** A line far above all others would flatten them, so a text replaces it. */
    private List<String> ceilings() {
        return lines.stream()
                .filter(Line::isCeiling)
                .map(line -> line.look().title() + ", far above: "
                        + Text.brief(line.points().stream()
                                .mapToDouble(Point::median)
                                .min()
                                .orElseThrow())
                        + " to "
                        + Text.brief(line.points().stream()
                                .mapToDouble(Point::median)
                                .max()
                                .orElseThrow()))
                .toList();
    }

    private Axis verticalAxis(Frame frame, Axis.Scale scale) {
        double highest = points(Comparator.comparingDouble(Point::highest)).highest();
        double lowest =
                points(Comparator.comparingDouble(Point::lowest).reversed()).lowest();
        return scale == Axis.Scale.LINEAR
                ? Axis.linear(highest, frame.ground(), Frame.TOP)
                : Axis.logarithmic(Math.max(1, lowest), highest, frame.ground(), Frame.TOP);
    }

    private Point points(Comparator<Point> order) {
        return lines.stream().flatMap(line -> line.points().stream()).max(order).orElseThrow();
    }

    private static void grid(Markup svg, Frame frame, Axis down) {
        for (double tick : down.ticks()) {
            double y = down.at(tick);
            svg.empty("line", "class", "grid", "x1", frame.left(), "x2", frame.end(), "y1", y, "y2", y);
            svg.leaf("text", Text.brief(tick), "class", "axis end", "x", frame.left() - 10, "y", y + 5);
        }
        svg.leaf("text", "transactions per second", "class", "axis", "x", 4, "y", 14.0);
    }

    private void threads(Markup svg, Frame frame, Axis across) {
        lines.stream()
                .flatMap(line -> line.points().stream())
                .map(Point::threads)
                .distinct()
                .forEach(count -> svg.leaf(
                        "text",
                        String.valueOf(count),
                        "class",
                        "axis middle",
                        "x",
                        across.at(count),
                        "y",
                        frame.ground() + 24));
        svg.leaf(
                "text",
                "threads that commit",
                "class",
                "axis middle",
                "x",
                (frame.left() + frame.end()) / 2,
                "y",
                frame.height() - 14);
    }

    private static void whiskers(Markup svg, Line line, Axis across, Axis down, double aside) {
        for (Point point : line.points()) {
            double x = across.at(point.threads()) + aside;
            svg.empty(
                    "line",
                    "class",
                    "whisker " + line.look().colour(),
                    "x1",
                    x,
                    "x2",
                    x,
                    "y1",
                    down.at(point.lowest()),
                    "y2",
                    down.at(point.highest()));
        }
    }

    private static void draw(Markup svg, Line line, Axis across, Axis down) {
        StringBuilder path = new StringBuilder();
        for (Point point : line.points()) {
            path.append(path.isEmpty() ? "M" : "L")
                    .append(String.format(
                            Locale.ROOT, "%.1f %.1f", across.at(point.threads()), down.at(point.median())));
        }
        svg.open("g", "class", "series", "data-store", line.look().store());
        svg.empty(
                "path",
                "class",
                "line " + line.look().colour(),
                "d",
                path,
                "stroke-dasharray",
                line.look().dashes().isEmpty() ? "none" : line.look().dashes());
        for (Point point : line.points()) {
            svg.open("g");
            line.look().draw(svg, across.at(point.threads()), down.at(point.median()), MARK);
            svg.leaf(
                    "title",
                    line.look().title() + ", " + Text.counted(point.threads(), "thread") + ": "
                            + Text.whole(point.median()) + " tx/s (" + Text.whole(point.lowest()) + " to "
                            + Text.whole(point.highest()) + ")");
            svg.close();
        }
        svg.close();
    }

    /** At the ends of the lines, moved apart where they would cover each other. */
    private void labels(Markup svg, Frame frame, Axis across, Axis down) {
        List<Line> ordered = lines.stream()
                .sorted(Comparator.comparingDouble(line -> down.at(line.last().median())))
                .toList();
        double[] wanted = ordered.stream()
                .mapToDouble(line -> down.at(line.last().median()))
                .toArray();
        double[] places = Labels.apart(wanted, LABEL_HEIGHT, Frame.TOP, frame.ground() + 8);
        for (int i = 0; i < ordered.size(); i++) {
            Line line = ordered.get(i);
            double x = across.at(line.last().threads()) + MARK + 3;
            double right = frame.end() + 14;
            svg.open("g", "class", "series", "data-store", line.look().store());
            svg.empty(
                    "path",
                    "class",
                    "leader " + line.look().colour(),
                    "d",
                    String.format(Locale.ROOT, "M%.1f %.1fL%.1f %.1f", x, wanted[i], right - 4, places[i]));
            svg.open("text", "class", "label " + line.look().colour(), "x", right, "y", places[i] + 5);
            svg.text(line.look().title() + " ");
            svg.leaf("tspan", Text.brief(line.last().median()), "class", "value");
            svg.close().close();
        }
    }

    /** A line of text for each store, the fastest first, and the notes. */
    private void labelsBelow(Markup svg, Frame frame, List<String> notes) {
        List<Line> ordered = lines.stream()
                .sorted(Comparator.comparingDouble((Line line) -> line.last().median())
                        .reversed())
                .toList();
        double y = frame.height() + MARK;
        for (Line line : ordered) {
            svg.open("g", "class", "series", "data-store", line.look().store());
            line.look().draw(svg, 2 * MARK, y, MARK);
            svg.open("text", "class", "label " + line.look().colour(), "x", 5 * MARK, "y", y + MARK);
            svg.text(line.look().title() + " ");
            svg.leaf("tspan", Text.brief(line.last().median()), "class", "value");
            svg.close().close();
            y += LABEL_HEIGHT;
        }
        for (String note : notes) {
            svg.leaf("text", note, "class", "axis", "x", 5 * MARK, "y", y + MARK);
            y += LABEL_HEIGHT;
        }
    }
}
