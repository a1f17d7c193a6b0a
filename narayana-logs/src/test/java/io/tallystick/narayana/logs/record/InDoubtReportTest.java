package io.tallystick.narayana.logs.record;

import static io.tallystick.narayana.logs.record.InDoubtTransactionTest.NOW;
import static io.tallystick.narayana.logs.record.InDoubtTransactionTest.inDoubt;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InDoubtReportTest {
    @Test
    void theOldestIsTheFirst() {
        InDoubtTransaction younger = inDoubt(1, Optional.of(NOW.minusSeconds(10)));
        InDoubtTransaction older = inDoubt(2, Optional.of(NOW.minusSeconds(20)));
        InDoubtReport report = new InDoubtReport(List.of(younger, older), 3, Optional.empty());

        assertThat(report.transactions()).containsExactly(older, younger);
        assertThat(report.oldestAge()).hasValue(Duration.ofSeconds(20));
        assertThat(report.listed(1)).containsExactly(older.details());
        assertThat(report.listed(-1)).isEmpty();
        assertThat(report.find(younger.logged().uid())).hasValue(younger);
        assertThat(report.find("0:1:2:3:4")).isEmpty();
        assertThat(report.countByLabel()).isEqualTo(Map.of("in-doubt", 2));
    }

    @Test
    void aLogThatCannotBeListedSaysSo() {
        assertThat(InDoubtReport.details(Optional.empty(), 10))
                .containsEntry("listed", false)
                .containsEntry("unseen", 0L)
                .doesNotContainKeys("oldestSeconds", "oldestOpen");
        assertThat(InDoubtReport.details(Optional.of(InDoubtReport.EMPTY), 10)).containsEntry("listed", true);
        assertThat(InDoubtReport.EMPTY.oldestAge()).isEmpty();
    }
}
