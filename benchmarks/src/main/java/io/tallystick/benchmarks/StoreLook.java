package io.tallystick.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a store is called and drawn, the same in every chart: colour, dashes and mark each tell it apart without the others.
 * Ours are drawn in full lines with filled marks, the peers' in dashes with hollow ones.
 *
 * @param store its name
 * @param title what an audience reads
 * @param colour class of the style sheet
 * @param dashes of its line; empty for a full one
 * @param mark its shape
 * @param filled whether the mark is
 */
record StoreLook(String store, String title, String colour, String dashes, Mark mark, boolean filled) {
    private static final Pattern OUR_JOURNAL = Pattern.compile("journal-(segmented|artemis)-(.+)");
    private static final String DASHES = "7 4";

    /** Shapes that are told apart from afar. */
    enum Mark {
        CIRCLE,
        SQUARE,
        DIAMOND,
        TRIANGLE
    }

    static StoreLook of(String store) {
        Matcher journal = OUR_JOURNAL.matcher(store);
        if (journal.matches()) {
            boolean segmented = journal.group(1).equals("segmented");
            String io = journal.group(2).equals("auto") ? "" : ", " + journal.group(2);
            return ours(
                    store,
                    (segmented ? "Tallystick journal" : "Tallystick on Artemis") + io,
                    segmented ? "c1" : "c2",
                    segmented ? Mark.CIRCLE : Mark.SQUARE);
        }
        return switch (store) {
            case "inmemory" -> new StoreLook(store, "in memory", "c0", "2 3", Mark.CIRCLE, true);
            case "inmemory-narayana-reaper" -> peer(store, "with Narayana's reaper", "c4", Mark.DIAMOND);
            case "inmemory-tallystick-reaper" -> ours(store, "with our reaper", "c1", Mark.CIRCLE);
            case "inmemory-tallystick-manager" -> ours(store, "our manager, no limits", "c2", Mark.SQUARE);
            case "file" -> ours(store, "Tallystick file", "c3", Mark.TRIANGLE);
            case "narayana-volatile" -> new StoreLook(store, "Narayana in memory", "c0", "2 3", Mark.SQUARE, false);
            case "narayana-file" -> peer(store, "Narayana file (default)", "c7", Mark.TRIANGLE);
            case "narayana-slots" -> peer(store, "Narayana slots", "c6", Mark.SQUARE);
            case "narayana-journal-nio" -> peer(store, "Narayana journal", "c5", Mark.CIRCLE);
            case "narayana-journal-aio" -> peer(store, "Narayana journal, AIO", "c5", Mark.DIAMOND);
            case "narayana-journal-nio-tuned" -> peer(store, "Narayana tuned, NIO", "c8", Mark.CIRCLE);
            case "narayana-journal-aio-tuned" -> peer(store, "Narayana tuned, AIO", "c4", Mark.DIAMOND);
            default -> peer(store, store, "c7", Mark.SQUARE);
        };
    }

    /**
     * Those that a chart has room for, in the order of the catalogue: of several ways to the disk of one engine the one that
     * it chooses by itself, or else the fastest with the most threads.
     */
    static List<String> featured(List<String> stores, Results results) {
        List<String> featured = new ArrayList<>(stores);
        for (String engine : List.of("segmented", "artemis")) {
            List<String> variants = stores.stream()
                    .filter(store -> store.startsWith("journal-" + engine + "-"))
                    .toList();
            Optional<String> shown = variants.stream()
                    .filter(SubjectCatalog::choosesByItself)
                    .findFirst()
                    .or(() -> fastest(variants, results));
            featured.removeIf(store -> variants.contains(store) && !store.equals(shown.orElse(null)));
        }
        if (featured.contains("inmemory")) {
            featured.remove("narayana-volatile");
        }
        if (featured.contains("narayana-journal-nio")) {
            featured.remove("narayana-journal-aio");
        }
        return featured;
    }

    private static Optional<String> fastest(List<String> stores, Results results) {
        int most = results.measurements().keySet().stream()
                .filter(cell -> cell instanceof Cell.Transactions transactions && stores.contains(transactions.store()))
                .mapToInt(Cell::threads)
                .max()
                .orElse(0);
        return stores.stream()
                .max((one, other) -> Double.compare(rate(one, most, results), rate(other, most, results)));
    }

    private static double rate(String store, int threads, Results results) {
        return results.of(new Cell.Transactions(store, Protocol.TWO_PHASE, threads))
                .map(Measurement::median)
                .orElse(0.0);
    }

    /** Draws the mark around a place. */
    void draw(Markup svg, double x, double y, double size) {
        String kind = "mark " + (filled ? "" : "hollow ") + colour;
        switch (mark) {
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

    private static StoreLook ours(String store, String title, String colour, Mark mark) {
        return new StoreLook(store, title, colour, "", mark, true);
    }

    private static StoreLook peer(String store, String title, String colour, Mark mark) {
        return new StoreLook(store, title, colour, DASHES, mark, false);
    }
}
