package io.tallystick.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final Duration STEP = Duration.ofSeconds(10);

    private final AtomicLong nanos = new AtomicLong();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void timeLeftFollowsThePlanAndRunsDownWithinAStep() {
        Progress progress = progress(piped());
        progress.start(3, STEP.multipliedBy(3));
        progress.begin("one", STEP);

        assertThat(progress.left()).isEqualTo(Duration.ofSeconds(30));
        pass(Duration.ofSeconds(4));
        assertThat(progress.left()).isEqualTo(Duration.ofSeconds(26));
        pass(Duration.ofSeconds(60));
        assertThat(progress.left()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void furtherStepsMakeTheRunLonger() {
        Progress progress = progress(piped());
        progress.start(1, STEP);
        progress.more(2, STEP.multipliedBy(2));
        progress.begin("one", STEP);
        pass(STEP);
        progress.end("1/s");

        assertThat(progress.left()).isEqualTo(STEP.multipliedBy(2));
        assertThat(text()).contains("1/3");
    }

    @Test
    void slowStepsMakeTheRestSlowerToo() {
        Progress progress = progress(piped());
        progress.start(3, STEP.multipliedBy(3));
        progress.begin("one", STEP);
        pass(STEP.multipliedBy(4));
        progress.end("1/s");

        assertThat(progress.left()).isEqualTo(Duration.ofSeconds(40)); // 20 s of plan at (40+20)/(10+20) of its pace
    }

    @Test
    void pipedEachStepIsALineWithoutControlCharacters() {
        Progress progress = progress(piped());
        progress.start(2, STEP.multipliedBy(2));
        progress.begin("file 2PC 1 thread", STEP);
        progress.redraw();
        pass(STEP);
        progress.end("4,413/s");
        progress.begin("file 2PC 4 threads", STEP);
        progress.fail("disk full");
        progress.close();

        assertThat(text().split("\n"))
                .hasSize(2)
                .satisfiesExactly(
                        line -> assertThat(line).matches(" +1/2  file 2PC 1 thread +4,413/s   0:10 left"),
                        line -> assertThat(line).contains("2/2").contains("failed: disk full"));
        assertThat(text()).doesNotContain("\r").doesNotContain("\033");
    }

    @Test
    void onATerminalTheLineIsRedrawnAndNeverLongerThanTheTerminal() {
        Progress progress = progress(new Terminal(stream(), true, true, 40));
        progress.start(2, STEP.multipliedBy(2));
        progress.begin("narayana-journal-nio-tuned 2PC 100 threads", STEP);
        progress.end("4,413/s");
        progress.begin("narayana-journal-aio-tuned 2PC 100 threads", STEP);
        progress.close();

        assertThat(text()).doesNotContain("\n");
        assertThat(text().split("\r")).allSatisfy(line -> assertThat(Terminal.width(line.replace("\033[K", "")))
                .isLessThan(40));
    }

    @Test
    void stepsBeforeTheStartAreNotCounted() {
        Progress progress = progress(piped());
        progress.begin("calibration", STEP);
        pass(STEP);
        progress.end("1,650/s");
        progress.start(2, STEP.multipliedBy(2));
        progress.begin("one", STEP);
        pass(STEP);
        progress.end("2/s");

        assertThat(text()).hasLineCount(1).contains(" 1/2  one").contains("0:10 left");
    }

    @Test
    void interruptedRunSaysHowFarItGot() {
        Progress progress = progress(piped());
        progress.start(2, STEP.multipliedBy(2));
        progress.begin("one", STEP);
        progress.end("1/s");
        progress.abandon();

        assertThat(text()).endsWith("stopped after 1 of 2 steps\n");
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private Progress progress(Terminal terminal) {
        return new Progress(terminal, nanos::get);
    }

    private Terminal piped() {
        return Terminal.plain(stream());
    }

    private PrintStream stream() {
        return new PrintStream(printed, true, StandardCharsets.UTF_8);
    }

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
