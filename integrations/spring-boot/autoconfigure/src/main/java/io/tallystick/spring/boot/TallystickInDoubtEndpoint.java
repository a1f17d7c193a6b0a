package io.tallystick.spring.boot;

import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@code /actuator/tallystickInDoubt}: the transactions in doubt, with the names and words of docs/in-doubt.md, and the
 * transaction that has been open for the longest time. Changes nothing, and costs the same with any number of records.
 */
@Endpoint(id = "tallystickInDoubt")
public final class TallystickInDoubtEndpoint {
    /** How many transactions the answer has at most, the oldest. */
    static final int SHOWN = 100;

    private final NarayanaStores stores;

    TallystickInDoubtEndpoint(NarayanaStores stores) {
        this.stores = stores;
    }

    /** What is in doubt, at most five seconds ago. {@code listed} is false if the log cannot be listed. */
    @ReadOperation
    public Map<String, Object> inDoubt() {
        Optional<InDoubtReport> look = stores.inDoubt().look();
        InDoubtReport report = look.orElse(InDoubtReport.EMPTY);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("listed", look.isPresent());
        Map<String, Integer> counts = new TreeMap<>();
        report.countByState().forEach((state, count) -> counts.put(state.label(), count));
        answer.put("countByState", counts);
        answer.put("unseen", report.unseen());
        report.oldestAge().ifPresent(age -> answer.put("oldestSeconds", age.toSeconds()));
        report.oldestOpen().ifPresent(open -> answer.put("oldestOpen", open(open)));
        answer.put(
                "transactions",
                report.transactions().stream()
                        .limit(SHOWN)
                        .map(InDoubtTransaction::details)
                        .toList());
        return answer;
    }

    private static Map<String, Object> open(InDoubtReport.OpenTransaction open) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("uid", open.uid());
        answer.put("ageSeconds", open.age().toSeconds());
        answer.put("threads", open.threads());
        return answer;
    }
}
