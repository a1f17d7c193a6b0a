package io.tallystick.durability.scenario;

import io.tallystick.testkit.Seeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A table in which each pair of values of two columns stands in a row at least. Most faults of combined conditions need
 * two of them, and the table is far shorter than that of all combinations.
 *
 * <p>Each row begins with a pair that is still missing, and takes in each other column the value that adds the most
 * missing pairs. A few such rows are made, and the best one counts.
 */
public final class AllPairs {
    private static final int CANDIDATES = 20;

    private final List<Integer> sizes;
    private final Random random;
    private final Set<Pair> missing = new HashSet<>();

    private AllPairs(List<Integer> sizes, long seed) {
        this.sizes = sizes;
        this.random = Seeds.random(seed);
    }

    /** The values of two columns in one row; the first column is the left one. */
    private record Pair(int left, int leftValue, int right, int rightValue) {}

    /**
     * The rows of the table; the same seed gives the same table.
     *
     * @param sizes the number of values of each column
     * @return rows with the number of a value, from 0, for each column
     */
    public static List<List<Integer>> rows(List<Integer> sizes, long seed) {
        if (sizes.size() < 2 || sizes.stream().anyMatch(size -> size < 1)) {
            throw new IllegalArgumentException("there is no pair of values in columns of sizes " + sizes);
        }
        return new AllPairs(sizes, seed).rows();
    }

    private List<List<Integer>> rows() {
        List<Pair> all = new ArrayList<>();
        for (int left = 0; left < sizes.size(); left++) {
            for (int right = left + 1; right < sizes.size(); right++) {
                for (int leftValue = 0; leftValue < sizes.get(left); leftValue++) {
                    for (int rightValue = 0; rightValue < sizes.get(right); rightValue++) {
                        all.add(new Pair(left, leftValue, right, rightValue));
                    }
                }
            }
        }
        missing.addAll(all);
        List<List<Integer>> rows = new ArrayList<>();
        while (!missing.isEmpty()) {
            all.removeIf(pair -> !missing.contains(pair));
            List<Integer> row = bestRow(all);
            missing.removeAll(pairsOf(row));
            rows.add(row);
        }
        return rows;
    }

    private List<Integer> bestRow(List<Pair> candidates) {
        List<Integer> best = List.of();
        int mostAdded = 0;
        for (int i = 0; i < CANDIDATES; i++) {
            List<Integer> row = row(candidates.get(random.nextInt(candidates.size())));
            int added = added(row);
            if (added > mostAdded) {
                mostAdded = added;
                best = row;
            }
        }
        return best;
    }

    private List<Integer> row(Pair first) {
        List<Integer> row = new ArrayList<>();
        for (int column = 0; column < sizes.size(); column++) {
            row.add(random.nextInt(sizes.get(column)));
        }
        row.set(first.left, first.leftValue);
        row.set(first.right, first.rightValue);
        for (int column = 0; column < sizes.size(); column++) {
            if (column != first.left && column != first.right) {
                improve(row, column);
            }
        }
        return row;
    }

    private void improve(List<Integer> row, int column) {
        int best = row.get(column);
        int mostAdded = added(row);
        for (int value = 0; value < sizes.get(column); value++) {
            row.set(column, value);
            int added = added(row);
            if (added > mostAdded) {
                mostAdded = added;
                best = value;
            }
        }
        row.set(column, best);
    }

    private int added(List<Integer> row) {
        return (int) pairsOf(row).stream().filter(missing::contains).count();
    }

    private static List<Pair> pairsOf(List<Integer> row) {
        List<Pair> pairs = new ArrayList<>();
        for (int left = 0; left < row.size(); left++) {
            for (int right = left + 1; right < row.size(); right++) {
                pairs.add(new Pair(left, row.get(left), right, row.get(right)));
            }
        }
        return pairs;
    }
}
