package io.tallystick.benchmarks.report.chart;

/** Places labels beside the lines that they name. */
final class Labels {
    private Labels() {}

    /** Ascending places near the wanted ones, at least {@code gap} apart and within bounds, if there is room. */
    static double[] apart(double[] wanted, double gap, double lowest, double highest) {
        double[] places = wanted.clone();
        for (int i = 1; i < places.length; i++) {
            places[i] = Math.max(places[i], places[i - 1] + gap);
        }
        double limit = highest;
        for (int i = places.length - 1; i >= 0; i--) {
            places[i] = Math.min(places[i], limit);
            limit = places[i] - gap;
        }
        double floor = lowest;
        for (int i = 0; i < places.length; i++) {
            places[i] = Math.max(places[i], floor);
            floor = places[i] + gap;
        }
        return places;
    }
}
