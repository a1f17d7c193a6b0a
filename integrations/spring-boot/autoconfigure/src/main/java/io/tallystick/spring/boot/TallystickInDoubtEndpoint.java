package io.tallystick.spring.boot;

import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.logs.record.InDoubtReport;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@code /actuator/tallystickInDoubt}: the transactions in doubt, with the names and words of docs/in-doubt.md, and the
 * transaction that has been open for the longest time. Changes nothing. A look reads at most 1,000 records.
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
        return InDoubtReport.details(stores.inDoubt().look(), SHOWN);
    }
}
