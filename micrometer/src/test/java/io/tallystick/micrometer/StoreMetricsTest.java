package io.tallystick.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scrape finds of a store. */
class StoreMetricsTest {
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    @TempDir
    Path directory;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong nanos = new AtomicLong();

    @Test
    void metersAreWhatTheStoreSaysOfItself() {
        try (ObjectStore store = fileStore();
                StoreMetrics metrics = new StoreMetrics(store, Tags.of("app", "shop"), nanos::get)) {
            metrics.bindTo(registry);
            store.write(KEY, new byte[100], Durability.FORCED);
            store.read(KEY);

            assertThat(gauge("tallystick.store.records")).isEqualTo(1);
            assertThat(gauge("tallystick.store.bytes")).isEqualTo(100);
            assertThat(counter("tallystick.store.writes")).isEqualTo(1);
            assertThat(counter("tallystick.store.reads")).isEqualTo(1);
            assertThat(counter("tallystick.store.forces.records")).isEqualTo(1);
            assertThat(counter("tallystick.store.disk.writes")).isGreaterThan(100);
            assertThat(registry.get("tallystick.store.forces").functionTimer()).satisfies(forces -> {
                assertThat(forces.count()).isEqualTo(store.statistics().forces());
                assertThat(forces.totalTime(TimeUnit.NANOSECONDS)).isPositive();
            });
            assertThat(gauge("tallystick.store.forces.worst")).isLessThan(3600).isPositive();
            assertThat(gauge("tallystick.store.serving")).isEqualTo(1);
            assertThat(gauge("tallystick.store.failed")).isZero();
            assertThat(gauge("tallystick.store.recovering")).isZero();
            assertThat(gauge("tallystick.store.lock.held")).isEqualTo(1);
            assertThat(gauge("tallystick.store.force.age")).isBetween(0.0, 3600.0);
            assertThat(gauge("tallystick.store.disk.usable")).isPositive();
            assertThat(gauge("tallystick.store.oldest.record.age")).isBetween(0.0, 3600.0);
        }
    }

    @Test
    void aLogOnAnotherMachineHasItsOwnMetersAndOthersHaveNone() {
        try (ObjectStore store = fileStore();
                StoreMetrics ofFile = new StoreMetrics(store)) {
            ofFile.bindTo(registry);
            assertThat(registry.find("tallystick.store.remote.epoch").gauge()).isNull();

            ObjectStore remote = new RemoteStore(store);
            try (StoreMetrics metrics = new StoreMetrics(remote, Tags.of("app", "remote"))) {
                metrics.bindTo(registry);
                assertThat(remote("reconnects")).isEqualTo(1);
                assertThat(remote("looks")).isEqualTo(2);
                assertThat(remote("unconfirmed.rounds")).isEqualTo(3);
                assertThat(remote("waiting.commits")).isEqualTo(4);
                assertThat(remote("waiting.longest")).isEqualTo(5.5);
                assertThat(remote("owned.age")).isEqualTo(6.5);
                assertThat(remote("epoch")).isEqualTo(7);
                assertThat(remote("batches")).isEqualTo(8);
                assertThat(remote("batch.size")).isEqualTo(9);
                assertThat(remote("trim.lag")).isEqualTo(10);
                Reference.reachabilityFence(remote);
            }
        }
    }

    @Test
    void aStoreThatLooksForItsDatabaseHasNotFailed() {
        try (ObjectStore store = fileStore()) {
            ObjectStore recovering = new RecoveringStore(store);
            try (StoreMetrics metrics = new StoreMetrics(recovering, Tags.empty())) {
                metrics.bindTo(registry);
                assertThat(gauge("tallystick.store.recovering")).isEqualTo(1);
                assertThat(gauge("tallystick.store.failed")).isZero();
                assertThat(gauge("tallystick.store.serving")).isZero();
                Reference.reachabilityFence(recovering);
            }
        }
    }

    private double remote(String name) {
        return registry.get("tallystick.store.remote." + name)
                .tag("app", "remote")
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    /** Also where nobody has closed the metrics: an application that is redeployed may forget it. */
    @Test
    void aRegistryDoesNotHoldAClosedStore() throws InterruptedException {
        ReferenceQueue<ObjectStore> gone = new ReferenceQueue<>();
        Reference<ObjectStore> held = forgotten(gone);

        Reference<?> collected = null;
        for (int i = 0; i < 100 && collected == null; i++) {
            System.gc();
            collected = gone.remove(100);
        }

        assertThat(collected).isSameAs(held);
        assertThat(gauge("tallystick.store.serving")).isNaN();
    }

    private Reference<ObjectStore> forgotten(ReferenceQueue<ObjectStore> gone) {
        ObjectStore store = fileStore();
        new StoreMetrics(store, Tags.empty(), nanos::get).bindTo(registry);
        assertThat(gauge("tallystick.store.serving")).isEqualTo(1);
        store.close();
        return new WeakReference<>(store, gone);
    }

    @Test
    void theHistogramOfForcesCountsEachOneOnce() {
        try (ObjectStore store = fileStore();
                StoreMetrics metrics = new StoreMetrics(store, Tags.empty(), nanos::get)) {
            metrics.bindTo(registry);
            store.write(KEY, new byte[100], Durability.FORCED);
            long forces = store.statistics().forces();
            List<FunctionCounter> buckets =
                    registry.get("tallystick.store.forces.histogram").functionCounters().stream()
                            .sorted(Comparator.comparingDouble(StoreMetricsTest::bound))
                            .toList();

            assertThat(buckets)
                    .extracting(bucket -> bucket.getId().getTag("le"))
                    .startsWith("0.00002", "0.00005")
                    .contains("0.001", "0.5", "1", "10")
                    .endsWith("+Inf");
            assertThat(forces).isPositive();
            assertThat(buckets.get(buckets.size() - 1).count()).isEqualTo(forces);
            assertThat(buckets).isSortedAccordingTo(Comparator.comparingDouble(FunctionCounter::count));
            assertThat(buckets).allSatisfy(bucket -> assertThat(bucket.count())
                    .isEqualTo(store.statistics().forceLatency().countUpTo((long)
                            (bound(bucket) * TimeUnit.SECONDS.toNanos(1)))));
        }
    }

    private static double bound(FunctionCounter bucket) {
        String bound = bucket.getId().getTag("le");
        return "+Inf".equals(bound) ? Double.POSITIVE_INFINITY : Double.parseDouble(bound);
    }

    @Test
    void metersCarryWhatAndWhereTheStoreIs() {
        try (ObjectStore store = fileStore();
                StoreMetrics metrics = new StoreMetrics(store, Tags.of("app", "shop"))) {
            metrics.bindTo(registry);

            assertThat(registry.getMeters()).allSatisfy(meter -> {
                assertThat(meter.getId().getTag("store")).isEqualTo("file");
                assertThat(meter.getId().getTag("engine")).isEmpty();
                assertThat(meter.getId().getTag("place"))
                        .isEqualTo(store.description().directory().orElseThrow().toString());
                assertThat(meter.getId().getTag("node")).isEqualTo("till");
                assertThat(meter.getId().getTag("app")).isEqualTo("shop");
            });
        }
    }

    @Test
    void oneScrapeSeesOneStateAndTheNextSecondAnother() {
        try (ObjectStore store = fileStore();
                StoreMetrics metrics = new StoreMetrics(store, Tags.empty(), nanos::get)) {
            metrics.bindTo(registry);
            assertThat(gauge("tallystick.store.records")).isZero();
            store.write(KEY, new byte[100], Durability.FORCED);
            assertThat(gauge("tallystick.store.records")).isZero();
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            assertThat(gauge("tallystick.store.records")).isEqualTo(1);
        }
    }

    @Test
    void whatIsNotKnownIsNotANumber() {
        try (ObjectStore store = ObjectStores.open(
                        StoreConfiguration.builder().store("inmemory").build());
                StoreMetrics metrics = new StoreMetrics(store)) {
            metrics.bindTo(registry);

            assertThat(gauge("tallystick.store.disk.usable")).isNaN();
            assertThat(gauge("tallystick.store.force.age")).isNaN();
            assertThat(gauge("tallystick.store.oldest.record.age")).isNaN();
            assertThat(gauge("tallystick.store.serving")).isEqualTo(1);
        }
    }

    @Test
    void closedMetricsLeaveNothingBehind() {
        ObjectStore store = fileStore();
        StoreMetrics metrics = new StoreMetrics(store, Tags.empty(), nanos::get);
        metrics.bindTo(registry);
        store.close();

        assertThat(gauge("tallystick.store.serving")).isZero();
        metrics.close();
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    private ObjectStore fileStore() {
        return ObjectStores.open(StoreConfiguration.builder()
                .store("file")
                .directory(directory)
                .set("tallystick.node-id", "till")
                .build());
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double counter(String name) {
        return registry.get(name).functionCounter().count();
    }
}
