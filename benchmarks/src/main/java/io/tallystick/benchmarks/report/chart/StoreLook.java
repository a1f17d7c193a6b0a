package io.tallystick.benchmarks.report.chart;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The title and look of a store, the same in every chart. Colour, dashes and mark each identify the store. Our stores
 * have full lines with filled marks, the peers' have dashes with hollow marks.
 *
 * @param store its name
 * @param title in charts
 * @param colour a class of the style sheet
 * @param dashes of its line; empty for a full one
 * @param mark on its line
 */
public record StoreLook(String store, String title, String colour, String dashes, Mark mark) {
    private static final Pattern OUR_JOURNAL = Pattern.compile("journal-(segmented|artemis)-(.+)");
    private static final String DASHES = "7 4";

    /** Shapes that are easy to distinguish. */
    enum Shape {
        CIRCLE,
        SQUARE,
        DIAMOND,
        TRIANGLE
    }

    /** The mark of a store on its line: filled for ours, hollow for a peer's. */
    record Mark(Shape shape, boolean filled) {}

    public static StoreLook of(String store) {
        Matcher journal = OUR_JOURNAL.matcher(store);
        if (journal.matches()) {
            boolean segmented = journal.group(1).equals("segmented");
            String io = journal.group(2).equals("auto") ? "" : ", " + journal.group(2);
            return ours(
                    store,
                    (segmented ? "Tallystick journal" : "Tallystick on Artemis") + io,
                    segmented ? "c1" : "c2",
                    segmented ? Shape.CIRCLE : Shape.SQUARE);
        }
        return switch (store) {
            case "inmemory" -> new StoreLook(store, "in memory", "c0", "2 3", new Mark(Shape.CIRCLE, true));
            case "inmemory-narayana-reaper" -> peer(store, "with Narayana's reaper", "c4", Shape.DIAMOND);
            case "inmemory-tallystick-reaper" -> ours(store, "with our reaper", "c1", Shape.CIRCLE);
            case "inmemory-tallystick-manager" -> ours(store, "our manager, no limits", "c2", Shape.SQUARE);
            case "file" -> ours(store, "Tallystick file", "c3", Shape.TRIANGLE);
            case "narayana-volatile" ->
                new StoreLook(store, "Narayana in memory", "c0", "2 3", new Mark(Shape.SQUARE, false));
            case "narayana-file" -> peer(store, "Narayana file (default)", "c7", Shape.TRIANGLE);
            case "narayana-slots" -> peer(store, "Narayana slots", "c6", Shape.SQUARE);
            case "narayana-journal-nio" -> peer(store, "Narayana journal", "c5", Shape.CIRCLE);
            case "narayana-journal-aio" -> peer(store, "Narayana journal, AIO", "c5", Shape.DIAMOND);
            case "narayana-journal-nio-tuned" -> peer(store, "Narayana tuned, NIO", "c8", Shape.CIRCLE);
            case "narayana-journal-aio-tuned" -> peer(store, "Narayana tuned, AIO", "c4", Shape.DIAMOND);
            default -> peer(store, store, "c7", Shape.SQUARE);
        };
    }

    /** Draws the mark around a place. */
    void draw(Markup svg, double x, double y, double size) {
        String kind = "mark " + (mark.filled() ? "" : "hollow ") + colour;
        switch (mark.shape()) {
            case CIRCLE -> svg.empty("circle", "class", kind, "cx", x, "cy", y, "r", size);
            case SQUARE ->
                svg.empty("rect", "class", kind, "x", x - size, "y", y - size, "width", 2 * size, "height", 2 * size);
            case DIAMOND ->
                polygon(svg, kind, x, y - 1.3 * size, x + 1.3 * size, y, x, y + 1.3 * size, x - 1.3 * size, y);
            case TRIANGLE -> polygon(svg, kind, x, y - 1.3 * size, x + 1.2 * size, y + size, x - 1.2 * size, y + size);
        }
    }

    private static void polygon(Markup svg, String kind, double... places) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < places.length; i += 2) {
            points.append(Math.round(places[i] * 10) / 10.0)
                    .append(',')
                    .append(Math.round(places[i + 1] * 10) / 10.0)
                    .append(' ');
        }
        svg.empty("polygon", "class", kind, "points", points.toString().trim());
    }

    private static StoreLook ours(String store, String title, String colour, Shape shape) {
        return new StoreLook(store, title, colour, "", new Mark(shape, true));
    }

    private static StoreLook peer(String store, String title, String colour, Shape shape) {
        return new StoreLook(store, title, colour, DASHES, new Mark(shape, false));
    }
}
