package io.tallystick.benchmarks.report;

import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Aligned columns. The first is text and always shown. The others are figures, aligned at the right; if the width is
 * too small, they are left out by rank. A column without figures is left out too.
 */
public final class Table {
    private static final String GAP = "  ";

    private final List<Column> columns = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** The first column. */
    public Table(String title) {
        columns.add(new Column(title, 0));
    }

    /** Adds a column. Columns of a higher rank are left out first. */
    public Table column(String title, int rank) {
        columns.add(new Column(title, rank));
        return this;
    }

    /** Adds a row, with a cell for each column. */
    public Table row(List<String> cells) {
        if (cells.size() != columns.size()) {
            throw new IllegalArgumentException(cells.size() + " cells for " + columns.size() + " columns");
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    /** Titles of the columns that have a figure, the first included. */
    public List<String> titles() {
        return filled().stream().map(index -> columns.get(index).title()).toList();
    }

    /** The cells of these columns, row by row. */
    public List<List<String>> cells() {
        return rows.stream()
                .map(row -> filled().stream().map(row::get).toList())
                .toList();
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Titles of the columns with figures that {@link #lines} leaves out because there is no room. */
    List<String> leftOut(int width) {
        List<Integer> shown = shown(width);
        return filled().stream()
                .filter(index -> !shown.contains(index))
                .map(index -> columns.get(index).title())
                .toList();
    }

    /** The table in lines of at most {@code width} characters, if the first column leaves any choice. */
    List<String> lines(int width) {
        List<Integer> shown = shown(width);
        List<String> lines = new ArrayList<>();
        lines.add(line(columns.stream().map(Column::title).toList(), shown));
        lines.add("-".repeat(width(shown)));
        rows.forEach(row -> lines.add(line(row, shown)));
        return lines;
    }

    private List<Integer> shown(int width) {
        List<Integer> shown = new ArrayList<>(filled());
        while (width(shown) > width && shown.size() > 1) {
            Integer next = shown.stream()
                    .max(Comparator.comparingInt(index -> columns.get(index).rank()))
                    .orElseThrow();
            shown.remove(next);
        }
        return shown;
    }

    private List<Integer> filled() {
        return IntStream.range(0, columns.size())
                .filter(index -> index == 0
                        || rows.stream().anyMatch(row -> !row.get(index).equals(Text.NOTHING)))
                .boxed()
                .toList();
    }

    private int width(List<Integer> shown) {
        return shown.stream().mapToInt(this::width).sum() + GAP.length() * (shown.size() - 1);
    }

    private int width(int column) {
        int title = columns.get(column).title().length();
        return rows.stream().mapToInt(row -> Terminal.width(row.get(column))).reduce(title, Math::max);
    }

    private String line(List<String> cells, List<Integer> shown) {
        StringBuilder line = new StringBuilder();
        for (int column : shown) {
            String cell = cells.get(column);
            String padding = " ".repeat(width(column) - Terminal.width(cell));
            line.append(line.isEmpty() ? "" : GAP).append(column == 0 ? cell + padding : padding + cell);
        }
        return line.toString().stripTrailing();
    }

    private record Column(String title, int rank) {}
}
