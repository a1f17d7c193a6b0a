package io.tallystick.benchmarks.report.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.report.Comparison;
import io.tallystick.benchmarks.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run keeps the names that it was recorded with, although our benchmarks may be in other packages by now. */
class RecordedRunTest {
    private static final String PACKAGE = "io.tallystick.benchmarks.measure.";
    private static final Path DOCUMENTS = Path.of("../docs/benchmarks");

    @TempDir
    private Path directory;

    @Test
    void recordedRunIsComparedWithARunOfToday() throws IOException {
        Results recorded = recordedIn("io.tallystick.benchmarks.");

        Comparison comparison = Comparison.of(recorded, samples().read(directory));

        assertThat(comparison.rows())
                .extracting(row -> row.cell().label())
                .hasSize(3)
                .isEqualTo(Comparison.of(samples().read(directory), recorded).rows().stream()
                        .map(row -> row.cell().label())
                        .toList());
    }

    @Test
    void recordedRunIsDrawn() throws IOException {
        Results recorded = recordedIn("io.tallystick.benchmarks.");

        Page page = new Page(recorded, Optional.empty());

        assertThat(page.headline()).hasValueSatisfying(svg -> assertThat(svg).contains("Tallystick file"));
        assertThat(page.html()).contains("Commits per second", "With work in it", "How long recovery takes");
    }

    /** {@code ./bench --show docs/benchmarks/standard.json} makes the page of the documents anew. */
    @Test
    void pageOfTheDocumentsIsThatOfTheirRun() throws IOException {
        Results recorded = Results.read(DOCUMENTS.resolve("standard.json"));

        assertThat(recorded.rounds()).hasSizeGreaterThan(30);
        Page page = new Page(recorded, Optional.empty());
        assertThat(page.html().equals(Files.readString(DOCUMENTS.resolve("standard.html"))))
                .as("docs/benchmarks/standard.html is the page of docs/benchmarks/standard.json")
                .isTrue();
        assertThat(page.talk().equals(Files.readString(DOCUMENTS.resolve("standard-talk.html"))))
                .as("docs/benchmarks/standard-talk.html is the page for a talk of docs/benchmarks/standard.json")
                .isTrue();
    }

    @Test
    void roundsOfTodayAreJoinedToARecordedRun() throws IOException {
        Results both = recordedIn("io.tallystick.benchmarks.").and(samples().read(directory));

        assertThat(both.rounds()).hasSize(4).allSatisfy((cell, rounds) -> assertThat(rounds)
                .isEqualTo(2));
    }

    @Test
    void benchmarkOfTheSameNameFromElsewhereIsNotOurs() {
        assertThatThrownBy(() -> recordedIn("com.example."))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("has no results of this benchmark");
    }

    private Results recordedIn(String otherPackage) throws IOException {
        Path today = samples().in(directory);
        String text = Files.readString(today);
        assertThat(text).contains(PACKAGE);
        return Results.read(Files.writeString(directory.resolve("recorded.json"), text.replace(PACKAGE, otherPackage)));
    }

    private static Samples samples() {
        return new Samples()
                .transactions("file", "2PC", 16, 1_000, 1_100)
                .work("file", 16, 30)
                .recovery("file", 250)
                .disk(DiskKind.DIRECT, 1, 70, 9);
    }
}
