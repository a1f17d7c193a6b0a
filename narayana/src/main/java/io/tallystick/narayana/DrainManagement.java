package io.tallystick.narayana;

import io.tallystick.narayana.drain.NarayanaScan;
import io.tallystick.narayana.drain.OpenTransactions;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import javax.management.JMException;
import javax.management.ObjectName;

/** The drain of an open store as an MXBean. */
final class DrainManagement implements TransactionDrainMXBean {
    private static final System.Logger LOG = System.getLogger(TallystickObjectStore.class.getName());

    private final TallystickDrain drain;
    private final ObjectName name;
    private final OpenTransactions open = new OpenTransactions(NanoClock.SYSTEM::nanoTime);

    private DrainManagement(TallystickDrain drain, ObjectName name) {
        this.drain = drain;
        this.name = name;
    }

    /** Registers a drain of the store that uses this process' recovery; the returned action unregisters it. */
    static Runnable register(ObjectStore store) {
        String place = store.description()
                .directory()
                .map(Path::toString)
                .orElse(store.description().store());
        try {
            DrainManagement management = new DrainManagement(
                    TallystickDrain.of(store).recoveringBy(NarayanaScan.ofThisProcess()),
                    new ObjectName("io.tallystick:type=TransactionDrain,name=" + ObjectName.quote(place)));
            ManagementFactory.getPlatformMBeanServer().registerMBean(management, management.name);
            return management::unregister;
        } catch (JMException refused) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0405 the drain of " + place
                            + " could not be registered for management; the store works without that",
                    refused);
            return () -> {};
        }
    }

    private void unregister() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (JMException refused) {
            LOG.log(System.Logger.Level.WARNING, "TALLY0406 " + name + " could not be unregistered", refused);
        }
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
