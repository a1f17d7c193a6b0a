package io.tallystick.benchmarks.report.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.measure.RunState;
import io.tallystick.benchmarks.report.Results;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class PageTest {
    private static final Map<Metric, Double> METRICS = Map.of(
            Metric.CPU,
            20.0,
            Metric.SWITCHES,
            1.0,
            Metric.P50,
            100.0,
            Metric.P99,
            400.0,
            Metric.P999,
            900.0,
            Metric.MAX,
            5_000.0,
            Metric.FORCES,
            0.5,
            Metric.RECORDS_PER_FORCE,
            4.0);

    @TempDir
    private Path directory;

    @Test
    void pageHasAChartForEachQuestionAndLoadsNothing() throws IOException {
        String html = page(all());

        assertThat(html)
                .contains("Commits per second", "How far from the limit", "How long a commit takes")
                .contains("How steady a store is", "The cost of a commit", "Machines like this one for 50,000 commits")
                .doesNotContain("<link", "@import", "src=", "url(", "<img", "<iframe");
        assertThat(html.replace("http://www.w3.org/2000/svg", "")).doesNotContain("://");
    }

    @Test
    void chartsAreWellFormedAndNameEveryStoreWithItsFigures() throws Exception {
        Results results = all();
        Path file = directory.resolve("run.html");

        new Page(results, Optional.empty()).write(file);

        Document chart = parse(Files.readString(directory.resolve("run.svg")));
        assertThat(chart.getDocumentElement().getTextContent())
                .contains("Tallystick journal, 4 threads: 10,000 tx/s (9,000 to 11,000)")
                .contains("Narayana slots, 1 thread: 2,000 tx/s (2,000 to 2,000)");
        for (String svg : Files.readString(file).split("(?=<svg )|(?<=</svg>)")) {
            if (svg.startsWith("<svg ")) {
                parse(svg);
            }
        }
    }

    @Test
    void everyNumberOfThreadsIsHeldAgainstTheBestPeerAlsoWhereWeLose() throws IOException {
        assertThat(page(all()))
                .contains("<b>2.00×</b><span>4 threads: Tallystick journal against Narayana slots</span>")
                .contains("<b>0.50×</b><span>1 thread: Tallystick journal against Narayana slots</span>");
    }

    @Test
    void headlineHasTheDefaultStoreAlsoWhereAnotherOfOursIsFaster() throws IOException {
        assertThat(page(new Samples()
                        .transactions("journal-segmented-auto", "2PC", 4, METRICS, 10_000)
                        .transactions("journal-artemis-auto", "2PC", 4, METRICS, 12_000)
                        .transactions("narayana-slots", "2PC", 4, METRICS, 5_000)
                        .read(directory)))
                .contains("<b>2.00×</b><span>4 threads: Tallystick journal against Narayana slots</span>");
    }

    @Test
    void storesHaveTheSameNameInTablesAndCharts() throws IOException {
        assertThat(page(all()))
                .contains("<td>Tallystick journal</td>")
                .doesNotContain("<td>journal-segmented-auto</td>");
    }

    @Test
    void titleSaysWhatAndWhen() throws IOException {
        assertThat(page(new Samples()
                        .on(Map.of("date", "2026-11-22T10:11:12Z"))
                        .transactions("file", "2PC", 1, METRICS, 1)
                        .read(directory)))
                .contains("<title>Transaction logs of Tallystick and Narayana compared, 2026-11-22</title>");
    }

    @Test
    void captionNamesTheDottedLineOnlyWhereItIsDrawn() throws IOException {
        assertThat(page(all()))
                .contains("<p class=\"logarithmic caption\">The dotted line is memory alone.</p>")
                .doesNotContain("hollow marks are Narayana's. The dotted line");
    }

    @Test
    void firstChartHasADrawingForATelephone() throws IOException {
        assertThat(page(all()))
                .contains("<div class=\"linear narrow\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 ")
                .contains("<div class=\"logarithmic narrow\">");
    }

    @Test
    void talkHasTheFirstChartAndWhatOneCanRelyOn() throws IOException {
        Path file = directory.resolve("run.html");

        new Page(all(), Optional.empty()).write(file);

        assertThat(Files.readString(directory.resolve("run-talk.html")))
                .contains("<b>2.00×</b><span>4 threads: Tallystick journal against Narayana slots</span>")
                .contains("What one can rely on", "viewBox=\"0 0 1080 800\"", "viewBox=\"0 0 400 ")
                .doesNotContain("<script", "<link", "src=", "Measured in memory");
    }

    @Test
    void talkAboutADirectoryInMemorySaysSo() throws IOException {
        Results tmpfs = new Samples()
                .on(Map.of(Machine.FILE_SYSTEM, "tmpfs"))
                .transactions("file", "2PC", 1, METRICS, 1)
                .read(directory);

        assertThat(new Page(tmpfs, Optional.empty()).talk()).contains("Measured in memory: nothing here was durable.");
    }

    @Test
    void onePhaseCommitsAreNeverShownWithoutSayingThatNoStoreIsTouched() throws IOException {
        assertThat(page(all())).contains("One-phase commits: no store is touched");
        assertThat(page(new Samples().transactions("file", "2PC", 1, METRICS, 1).read(directory)))
                .doesNotContain("One-phase");
    }

    @Test
    void directoryInMemoryIsShoutedAt() throws IOException {
        Results tmpfs = new Samples()
                .on(Map.of(Machine.FILE_SYSTEM, "tmpfs"))
                .transactions("file", "2PC", 1, METRICS, 1)
                .read(directory);

        assertThat(page(tmpfs)).contains("class=\"banner alarm\" role=\"alert\">Measured in memory (tmpfs)");
        assertThat(page(all())).doesNotContain("banner alarm");
    }

    @Test
    void partialRunSaysSoAndWhatIsMissing() throws IOException {
        Results partial = new Samples()
                .at(new RunState(68, 64, List.of(), Map.of("disk <x>", "it's full & gone")))
                .transactions("file", "2PC", 1, METRICS, 1)
                .read(directory);

        assertThat(page(partial))
                .contains("Partial: the run ended after 64 of 68 steps")
                .contains("<dt>disk &lt;x&gt;</dt><dd>it's full &amp; gone</dd>");
    }

    @Test
    void earlierRunStandsBesideWithWhatIsNoiseAndWhatIsNot() throws IOException {
        Results before = new Samples()
                .transactions("file", "2PC", 1, 1_000, 1_100)
                .transactions("file", "2PC", 4, 1_000, 1_100)
                .read(directory);
        Results now = new Samples()
                .transactions("file", "2PC", 1, 2_000, 2_200)
                .transactions("file", "2PC", 4, 1_050, 1_200)
                .read(directory);

        assertThat(new Page(now, Optional.of(before)).html())
                .contains("Against the earlier run", ">2.00×  faster<", ">1.07×  within the noise<");
    }

    @Test
    void whetherEmptyTransactionsPredictThoseWithWorkIsSaid() throws IOException {
        Results results = new Samples()
                .transactions("inmemory", "2PC", 16, METRICS, 300)
                .transactions("file", "2PC", 16, METRICS, 100)
                .transactions("narayana-file", "2PC", 16, METRICS, 200)
                .work("inmemory", 16, 30)
                .work("file", 16, 9)
                .work("narayana-file", 16, 6)
                .recovery("file", 250.0)
                .read(directory);

        assertThat(page(results))
                .contains("With work in it", "16 threads: rank correlation (Spearman) 0.50 over 3 stores")
                .contains("How long recovery takes", ">250 ms<");
    }

    @Test
    void runWithTheDiskAloneHasAPage() throws IOException {
        Results disk = new Samples().disk(DiskKind.DIRECT, 1, 40, 20_000).read(directory);
        Path file = directory.resolve("disk.html");

        new Page(disk, Optional.empty()).write(file);

        assertThat(file).exists();
        assertThat(directory.resolve("disk.svg")).doesNotExist();
        assertThat(directory.resolve("disk-talk.html")).doesNotExist();
    }

    private String page(Results results) {
        return new Page(results, Optional.empty()).html();
    }

    private Results all() throws IOException {
        return new Samples()
                .disk(DiskKind.DIRECT, 1, 40, 20_000)
                .transactions("inmemory", "1PC", 1, METRICS, 900_000)
                .transactions("inmemory", "2PC", 1, METRICS, 100_000)
                .transactions("journal-segmented-auto", "2PC", 1, METRICS, 1_000)
                .transactions("journal-segmented-auto", "2PC", 4, METRICS, 9_000, 10_000, 11_000)
                .transactions("narayana-slots", "2PC", 1, METRICS, 2_000)
                .transactions("narayana-slots", "2PC", 4, METRICS, 4_900, 5_000, 5_100)
                .read(directory);
    }

    private static Document parse(String xml) throws ParserConfigurationException, SAXException, IOException {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
    }
}
