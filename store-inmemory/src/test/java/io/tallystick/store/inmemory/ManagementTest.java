package io.tallystick.store.inmemory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStoreMXBean;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.lang.management.ManagementFactory;
import java.util.Set;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** What {@code tallystick.jmx=true} shows to management clients. */
class ManagementTest {
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

    @Test
    void nothingIsRegisteredUnasked() throws Exception {
        try (ObjectStore store =
                ObjectStores.open(StoreConfiguration.builder().store("inmemory").build())) {
            assertThat(store.health().isServing()).isTrue();
            assertThat(registered()).isEmpty();
        }
    }

    @Test
    void anOpenStoreIsSeenAndAClosedOneIsForgotten() throws Exception {
        try (ObjectStore store = open("throw")) {
            store.write(KEY, new byte[10], Durability.FORCED);
            ObjectStoreMXBean seen = seen("inmemory");

            assertThat(seen.getRecords()).isEqualTo(1);
            assertThat(seen.getBytes()).isEqualTo(10);
            assertThat(seen.getState()).isEqualTo("OPEN");
            assertThat(seen.isServing()).isTrue();
            assertThat(seen.countByType()).containsOnly(java.util.Map.entry("/T", 1));
            store.write(StateKey.of("/EISNAME", KEY.id()), new byte[10], Durability.FORCED);
            assertThat(seen.awaitEmpty(0)).isEqualTo(1);
            store.remove(KEY, Durability.FORCED);
            assertThat(seen.awaitEmpty(60)).isZero();
        }
        assertThat(registered()).isEmpty();
    }

    @Test
    void everyAttributeCanBeReadByAnyClient() throws Exception {
        try (ObjectStore store = open("halt")) {
            ObjectName name = registered().iterator().next();
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                assertThatCode(() -> server.getAttribute(name, attribute.getName()))
                        .as(attribute.getName())
                        .doesNotThrowAnyException();
            }
            assertThat(store.health().isServing()).isTrue();
        }
        assertThat(registered()).isEmpty();
    }

    @Test
    void storesOfOneNameAreNumbered() throws Exception {
        try (ObjectStore first = open("throw");
                ObjectStore second = open("throw")) {
            second.write(KEY, new byte[1], Durability.FORCED);

            assertThat(seen("inmemory").getRecords()).isZero();
            assertThat(seen("inmemory#2").getRecords()).isEqualTo(1);
            first.write(KEY, new byte[1], Durability.FORCED);
            assertThat(seen("inmemory").getRecords()).isEqualTo(1);
        }
        assertThat(registered()).isEmpty();
    }

    private static ObjectStore open(String onUnknownOutcome) {
        return ObjectStores.open(StoreConfiguration.builder()
                .store("inmemory")
                .set("tallystick.jmx", "true")
                .set("tallystick.on-unknown-outcome", onUnknownOutcome)
                .build());
    }

    private ObjectStoreMXBean seen(String name) throws Exception {
        return JMX.newMXBeanProxy(
                server,
                new ObjectName("io.tallystick:type=ObjectStore,name=" + ObjectName.quote(name)),
                ObjectStoreMXBean.class);
    }

    private Set<ObjectName> registered() throws Exception {
        return server.queryNames(new ObjectName("io.tallystick:type=ObjectStore,*"), null);
    }
}
