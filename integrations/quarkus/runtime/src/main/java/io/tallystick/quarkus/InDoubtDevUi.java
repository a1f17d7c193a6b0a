package io.tallystick.quarkus;

import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.store.ObjectStore;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Optional;

/**
 * What the page "In doubt" of Quarkus' Dev UI asks, by JSON-RPC: the transactions in doubt, with the names and words of
 * docs/in-doubt.md. Changes nothing. A bean in the local development mode only. May be used by any number of threads.
 */
public class InDoubtDevUi {
    /** How many transactions an answer has at most, the oldest. */
    static final int SHOWN = 100;

    private final ObjectStore store;

    /** @param store the log of the transaction manager */
    @Inject
    public InDoubtDevUi(ObjectStore store) {
        this.store = store;
    }

    /** What is in doubt, at most five seconds ago. {@code listed} is false if the log cannot be listed. */
    public Map<String, Object> inDoubt() {
        return InDoubtReport.details(InDoubtLook.of(store).look(), SHOWN);
    }

    /** How many are in doubt, for the card; "?" if the log cannot be listed, such as "1000+" if some are unseen. */
    public String count() {
        Optional<InDoubtReport> look = InDoubtLook.of(store).look();
        return look.map(report -> report.transactions().size() + (report.unseen() > 0 ? "+" : ""))
                .orElse("?");
    }
}
