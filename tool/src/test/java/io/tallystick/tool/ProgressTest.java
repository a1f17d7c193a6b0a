package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.tool.command.Progress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Progress is for a person at a terminal who has waited a while. */
class ProgressTest {
    private final StringWriter written = new StringWriter();
    private long nowNanos;

    @Test
    void shortWorkShowsNothing() {
        try (Progress progress = progress(true)) {
            nowNanos += TimeUnit.MILLISECONDS.toNanos(499);
            progress.at(1, 2, "records");
        }
        assertThat(written.toString()).isEmpty();
    }

    @Test
    void longWorkIsShownNowAndThenAndTakenAwayAtItsEnd() {
        try (Progress progress = progress(true)) {
            nowNanos += TimeUnit.MILLISECONDS.toNanos(500);
            progress.at(1500, 6000, "records");
            nowNanos += TimeUnit.MILLISECONDS.toNanos(100);
            progress.at(1600, 6000, "records");
            nowNanos += TimeUnit.MILLISECONDS.toNanos(100);
            progress.at(1700, 0, "records");
        }
        assertThat(written.toString())
                .isEqualTo("\r\u001b[Kreading ... 1,500 of 6,000 (25 %) records"
                        + "\r\u001b[Kreading ... 1,700 records"
                        + "\r\u001b[K");
    }

    @Test
    void nothingIsShownWhereNobodyLooks() {
        try (Progress progress = progress(false)) {
            nowNanos += TimeUnit.HOURS.toNanos(1);
            progress.at(1, 2, "records");
        }
        assertThat(written.toString()).isEmpty();
    }

    private Progress progress(boolean isShown) {
        return new Progress("reading", new PrintWriter(written), isShown, () -> nowNanos);
    }
}
