package io.tallystick.benchmarks.report.page;

import io.tallystick.benchmarks.report.Comparison;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.chart.Axis;
import io.tallystick.benchmarks.report.chart.LineChart;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The results as one HTML file for people: charts drawn by us into the page itself, so that it opens anywhere, without
 * a network and without scripts. Every chart has its figures in the tables at the end.
 */
public final class Page {
    private final Results results;
    private final MeasuredStores stores;
    private final Optional<Comparison> comparison;

    public Page(Results results, Optional<Results> earlier) {
        this.results = results;
        this.stores = new MeasuredStores(results);
        this.comparison = earlier.map(before -> Comparison.of(before, results));
    }

    /**
     * Writes the page. If it has a first chart, that chart is also written as an SVG file of the same name, and a page
     * for a talk as a file whose name ends with {@code -talk.html}.
     */
    public void write(Path file) throws IOException {
        Files.writeString(file, html(), StandardCharsets.UTF_8);
        Optional<String> chart = headline();
        if (chart.isPresent()) {
            String name = file.getFileName().toString().replaceAll("\\.html$", "");
            Files.writeString(file.resolveSibling(name + ".svg"), chart.get(), StandardCharsets.UTF_8);
            Files.writeString(file.resolveSibling(name + "-talk.html"), talk(), StandardCharsets.UTF_8);
        }
    }

    /** Commits that are logged, against threads, with a style sheet of its own; empty where none were measured. */
    Optional<String> headline() {
        LineChart chart = new ThroughputSection(stores).chart();
        String style = "<style>" + resource("page.css") + "</style>"
                + "<rect class=\"sheet\" x=\"-12\" y=\"-12\" width=\"1104\" height=\"584\"/>";
        return chart.isEmpty()
                ? Optional.empty()
                : Optional.of(chart.svg(Axis.Scale.LINEAR, "two-phase commits per second against threads", style));
    }

    String html() {
        PageBody page = begun("layout.css");
        page.open("body").open("main").line();
        sections().forEach(section -> section.writeTo(page));
        page.leaf(
                "footer",
                "Made by ./bench of Tallystick. Charts and figures are part of this file; nothing is loaded from"
                        + " anywhere. docs/benchmarks.md explains every column.");
        page.close()
                .raw("<script>\n" + resource("page.js") + "</script>")
                .close()
                .close()
                .line();
        return page.toString();
    }

    /** One screen for an audience: the first chart, the factors, and what one can rely on. */
    String talk() {
        PageBody page = begun("talk.css");
        page.open("body").open("main").line();
        new TalkSection(stores).writeTo(page);
        page.close().close().close().line();
        return page.toString();
    }

    private PageBody begun(String layout) {
        PageBody page = new PageBody();
        page.raw("<!DOCTYPE html>\n").open("html", "lang", "en").line();
        page.open("head").empty("meta", "charset", "utf-8");
        page.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        page.leaf("title", HeaderSection.title(results.machine()));
        page.raw("<style>\n" + resource("page.css") + resource(layout) + "</style>")
                .close()
                .line();
        return page;
    }

    /** The sections, those of general interest first. */
    private List<Section> sections() {
        List<Section> sections = new ArrayList<>(List.of(
                new HeaderSection(results),
                new ThroughputSection(stores),
                new LimitSection(stores),
                new LatencySection(stores),
                new SteadinessSection(stores),
                new CostSection(stores),
                new OnePhaseSection(stores),
                new WorkSection(results),
                new RecoverySection(results),
                new DatabaseSection(results),
                new Year2011Section(results)));
        comparison.map(ComparisonSection::new).ifPresent(sections::add);
        sections.addAll(
                List.of(new StoresSection(stores), new FiguresSection(stores), new MachineSection(results.machine())));
        return sections;
    }

    private static String resource(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException incomplete) {
            throw new UncheckedIOException("the jar is damaged: " + name, incomplete);
        }
    }
}
