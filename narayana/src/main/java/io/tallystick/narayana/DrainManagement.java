package io.tallystick.narayana;

import io.tallystick.narayana.drain.NarayanaScan;
import io.tallystick.narayana.drain.OpenTransactions;
import io.tallystick.narayana.management.StoreBean;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import java.time.Duration;

/** The drain of an open store as an MXBean. */
final class DrainManagement implements TransactionDrainMXBean {
    private static final StoreBean BEAN = new StoreBean(
            "TransactionDrain",
            "the drain",
            "TALLY0405",
            "TALLY0406",
            System.getLogger(TallystickObjectStore.class.getName()));

    private final TallystickDrain drain;
    private final OpenTransactions open = new OpenTransactions(NanoClock.SYSTEM::nanoTime);

    private DrainManagement(TallystickDrain drain) {
        this.drain = drain;
    }

    /** Registers a drain of the store that uses this process' recovery; the returned action unregisters it. */
    static Runnable register(ObjectStore store) {
        TallystickDrain drain = TallystickDrain.of(store).recoveringBy(NarayanaScan.ofThisProcess());
        return BEAN.register(new DrainManagement(drain), store);
    }

    @Override
    public boolean isAccepting() {
        return drain.isAccepting();
    }

    @Override
    public int getActiveTransactions() {
        return drain.activeTransactions();
    }

    @Override
    public long getOldestTransactionSeconds() {
        return open.oldest().map(oldest -> oldest.age().toSeconds()).orElse(-1L);
    }

    @Override
    public String getOldestTransaction() {
        return open.oldest().map(OpenTransactions.Oldest::toString).orElse("");
    }

    @Override
    public long getPendingActions() {
        return drain.pendingActions();
    }

    @Override
    public long getLeastSeconds() {
        return TallystickDrain.leastBudget().toSeconds();
    }

    @Override
    public String drain(int seconds) {
        return drain.drain(Duration.ofSeconds(seconds)).toString();
    }

    @Override
    public void resume() {
        drain.resume();
    }
}
