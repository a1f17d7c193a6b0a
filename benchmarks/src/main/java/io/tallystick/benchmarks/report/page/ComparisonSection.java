package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.report.Comparison;
import io.tallystick.benchmarks.report.chart.ComparisonChart;

/** The ratio to an earlier run, cell by cell. */
final class ComparisonSection implements Section {
    private final Comparison comparison;

    ComparisonSection(Comparison comparison) {
        this.comparison = comparison;
    }

    @Override
    public void writeTo(PageBody page) {
        page.heading("Against the earlier run");
        comparison.differences().forEach(difference -> page.banner("Not the same machine: " + difference));
        if (comparison.rows().isEmpty()) {
            page.paragraph("The two runs have nothing in common.");
            return;
        }
        page.paragraph(
                "The ratio of this run to the earlier one, cell by cell. The mark is the ratio of the medians. The"
                        + " bar goes from “worst now / best before” to “best now / worst before”. A bar that reaches"
                        + " the line at 1 may be noise. If a bar does not reach it, no iteration of the other run"
                        + " reached the figure.");
        page.open("figure")
                .open("div", "class", "scroll wide")
                .raw(new ComparisonChart(comparison.rows()).svg())
                .close()
                .close()
                .line();
    }
}
