package io.tallystick.store;

import io.tallystick.store.spi.BookkeepingTypes;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * A store as an MXBean. This class is loaded only if {@code tallystick.jmx} is set. So a runtime without the module
 * {@code java.management} misses nothing else.
 */
final class StoreManagement implements ObjectStoreMXBean {
    private static final System.Logger LOG = System.getLogger(StoreManagement.class.getName());

    private static final int MAX_NAMESAKES = 1000;
    private static final long HEALTH_FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ObjectStore store;
    private final LongSupplier nanoTime;
    private ObjectName name;
    // Both guarded by this: a client that reads all attributes looks at all records once.
    private StoreHealth health;
    private long healthAtNanos;

    private StoreManagement(ObjectStore store, LongSupplier nanoTime) {
        this.store = store;
        this.nanoTime = nanoTime;
    }

    /**
     * Asks for the server that stores are registered with.
     *
     * @throws LinkageError the module {@code java.management} is not there, or the class loader of this library does
     *     not see it
     */
    static void requireServer() {
        ManagementFactory.getPlatformMBeanServer();
    }

    /**
     * Registers the store under the name of its place, or of its kind in memory, with a number if that is taken.
     */
    static StoreManagement register(ObjectStore store, LongSupplier nanoTime) {
        StoreManagement management = new StoreManagement(store, nanoTime);
        try {
            management.register(ManagementFactory.getPlatformMBeanServer());
        } catch (JMException refused) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0003 the store " + store.description() + " could not be registered for management; it works"
                            + " anyway",
                    refused);
        }
        return management;
    }

    private void register(MBeanServer server) throws JMException {
        String place = store.description().place();
        String plain = place.isEmpty() ? store.description().store() : place;
        for (int number = 1; ; number++) {
            ObjectName candidate = new ObjectName("io.tallystick:type=ObjectStore,name="
                    + ObjectName.quote(number == 1 ? plain : plain + "#" + number));
            try {
                server.registerMBean(this, candidate);
                name = candidate;
                return;
            } catch (InstanceAlreadyExistsException taken) {
                if (number == MAX_NAMESAKES) {
                    throw taken;
                }
            }
        }
    }

    /** Lets management clients forget the store; a second call does nothing. */
    synchronized void unregister() {
        if (name == null) {
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (InstanceNotFoundException usual) { // another caller has unregistered it
        } catch (JMException refused) {
            LOG.log(System.Logger.Level.WARNING, "TALLY0004 " + name + " could not be unregistered", refused);
        }
        name = null;
    }

    private synchronized StoreHealth health() {
        long now = nanoTime.getAsLong();
        if (health == null || now - healthAtNanos >= HEALTH_FRESH_NANOS) {
            health = store.health();
            healthAtNanos = now;
        }
        return health;
    }

    @Override
    public String getStore() {
        return store.description().store();
    }

    @Override
    public String getEngine() {
        return store.description().engine().orElse("");
    }

    @Override
    public String getIo() {
        return store.description().io().orElse("");
    }

    @Override
    public String getDirectory() {
        return store.description().directory().map(Path::toString).orElse("");
    }

    @Override
    public String getPlace() {
        return store.description().place();
    }

    @Override
    public String getDescription() {
        return store.description().toString();
    }

    @Override
    public String getStoreId() {
        return health().storeId().map(Object::toString).orElse("");
    }

    @Override
    public String getNodeId() {
        return health().nodeId().orElse("");
    }

    @Override
    public String getState() {
        return health().state().name();
    }

    @Override
    public boolean isServing() {
        return health().isServing();
    }

    @Override
    public String getFailure() {
        return health().failure().map(Throwable::getMessage).orElse("");
    }

    @Override
    public boolean isLockHeld() {
        return health().lockHeld();
    }

    @Override
    public long getLastForceAgeMillis() {
        return health().lastForceAge().map(age -> age.toMillis()).orElse(-1L);
    }

    @Override
    public long getUsableBytes() {
        return health().usableBytes().orElse(-1);
    }

    @Override
    public long getOldestRecordAgeMillis() {
        return health().oldestRecordAge().map(age -> age.toMillis()).orElse(-1L);
    }

    @Override
    public long getRecords() {
        return store.statistics().records();
    }

    @Override
    public long getBytes() {
        return store.statistics().bytes();
    }

    @Override
    public long getWrites() {
        return store.statistics().writes();
    }

    @Override
    public long getRemoves() {
        return store.statistics().removes();
    }

    @Override
    public long getReads() {
        return store.statistics().reads();
    }

    @Override
    public long getBytesWritten() {
        return store.statistics().bytesWritten();
    }

    @Override
    public long getForces() {
        return store.statistics().forces();
    }

    @Override
    public long getRecordsForced() {
        return store.statistics().recordsForced();
    }

    @Override
    public double getRecordsPerForce() {
        return store.statistics().recordsPerForce();
    }

    @Override
    public double getForceMeanNanos() {
        return store.statistics().forceLatency().meanNanos();
    }

    @Override
    public long getForceP50Nanos() {
        return store.statistics().forceLatency().p50Nanos();
    }

    @Override
    public long getForceP99Nanos() {
        return store.statistics().forceLatency().p99Nanos();
    }

    @Override
    public long getForceP999Nanos() {
        return store.statistics().forceLatency().p999Nanos();
    }

    @Override
    public long getForceMaxNanos() {
        return store.statistics().forceLatency().maxNanos();
    }

    @Override
    public Map<String, Integer> countByType() {
        return new TreeMap<>(store.countByType());
    }

    @Override
    public long awaitEmpty(int seconds) {
        long begun = nanoTime.getAsLong();
        long left = recordsOfTransactions();
        while (left > 0
                && nanoTime.getAsLong() - begun < TimeUnit.SECONDS.toNanos(seconds)
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            left = recordsOfTransactions();
        }
        return left;
    }

    private long recordsOfTransactions() {
        long records = store.statistics().records();
        try {
            return Math.max(0, records - BookkeepingTypes.countIn(store));
        } catch (StoreClosedException closed) {
            return records;
        }
    }
}
