package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.report.Table;
import io.tallystick.benchmarks.report.chart.BarChart;
import io.tallystick.benchmarks.report.chart.Markup;
import io.tallystick.benchmarks.report.chart.StoreLook;
import io.tallystick.benchmarks.subject.Subject;
import java.util.List;
import java.util.Map;

/** HTML with the parts that every section is made of. */
final class PageBody extends Markup {
    /** Pixels of a chart that takes the whole width. */
    static final double WIDTH = 1080;

    void heading(String text) {
        leaf("h2", text).line();
    }

    void paragraph(String text) {
        leaf("p", text).line();
    }

    void figure(BarChart chart, String title, String caption) {
        if (!chart.isEmpty()) {
            leaf("h3", title).open("figure");
            inBothWidths("", chart.svg(title), "columns ", String.join("", chart.columnSvgs(title)));
            leaf("figcaption", caption).close().line();
        }
    }

    /** A drawing for wide windows, and another for narrow ones; the style sheet shows one of them. */
    void inBothWidths(String classesOfRoomy, String roomy, String classesOfNarrow, String narrow) {
        open("div", "class", classesOfRoomy + "roomy").raw(roomy).close();
        open("div", "class", classesOfNarrow + "narrow").raw(narrow).close();
    }

    /** Names with their texts below a heading, or nothing if there are none. */
    void entries(String heading, Map<String, String> entries) {
        if (!entries.isEmpty()) {
            leaf("h3", heading).open("dl");
            entries.forEach((name, text) -> leaf("dt", name).leaf("dd", text));
            close().line();
        }
    }

    void pairs(List<String> charts) {
        open("div", "class", "pair");
        charts.forEach(chart -> open("figure").raw(chart).close());
        close().line();
    }

    void table(Table table, String caption) {
        open("div", "class", "scroll").open("table");
        if (!caption.isEmpty()) {
            leaf("caption", caption);
        }
        open("tr");
        table.titles().forEach(title -> leaf("th", title));
        close();
        for (List<String> row : table.cells()) {
            open(
                    "tr",
                    "class",
                    MeasuredStores.subject(row.get(0)).filter(Subject::isOurs).isPresent() ? "ours" : "peer");
            leaf("td", titleOf(row.get(0)));
            row.stream().skip(1).forEach(cell -> leaf("td", cell.replace(" us", " µs")));
            close();
        }
        close().close().line();
    }

    /** A store has the same name in tables and in charts. */
    private static String titleOf(String name) {
        return MeasuredStores.subject(name).isPresent() ? StoreLook.of(name).title() : name;
    }

    /** A warning that concerns the whole run. */
    void banner(String text) {
        leaf("div", text, "class", "banner", "role", "note").line();
    }
}
