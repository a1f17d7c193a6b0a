package io.tallystick.narayana.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.NodePool.State;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that contradict a pool, and what a child is started with. The processes are tested with the database. */
class NodeChoiceTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tallystick.node-id | orders-1 | tallystick.node-id=orders-1 contradict each other",
                "tallystick.takeover | at-once | needs tallystick.takeover=after-lease",
                "tallystick.takeover | never | needs tallystick.takeover=after-lease",
                "tallystick.expect-existing | true | tallystick.expect-existing=true contradict each other",
                "tallystick.store | journal | tallystick.store=journal",
                "tallystick.node-pool-recover-with | /nowhere/arguments | is no file; write the arguments of java"
            })
    void whatContradictsAPoolIsRefused(String key, String text, String said) {
        StoreConfiguration wanted = pool().set(key, text).build();

        assertThatThrownBy(() -> choice(wanted, Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.node-pool")
                .hasMessageContaining(said);
    }

    @Test
    void aNodeThatNarayanaWasGivenIsRefusedUnlessItIsOfThePool() {
        StoreConfiguration wanted = pool().set(StoreOption.STORE, "journal").build();

        for (String other : new String[] {"billing-1", "orders", "orders-a", "orders-0", "orders-1-1", "orders-1000"}) {
            assertThatThrownBy(() -> choice(wanted, Optional.of(other)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Narayana's node identifier was set to '" + other + "'; leave it out");
        }
        // The node of an earlier store of this process is none that a person has given: the next check follows.
        assertThatThrownBy(() -> choice(wanted, Optional.of("orders-12")))
                .hasMessageContaining("tallystick.store=journal");
    }

    @Test
    void aChildHasTheSettingsOfTheStoreWithoutThoseOfThePool() {
        StoreConfiguration wanted = pool().set(StoreOption.POSTGRESQL_URL, "jdbc:postgresql://db1,db2/tx?ssl=true")
                .set(StoreOption.POSTGRESQL_PASSWORD_FILE, Path.of("/run/secrets/tx"))
                .set(StoreOption.NODE_POOL_SIZE, 7)
                .set(StoreOption.NODE_POOL_RECOVER_AFTER, Duration.ofMinutes(1))
                .set(StoreOption.LEASE, Duration.ofSeconds(4))
                .set(StoreOption.MAX_LIVE_SIZE, 8 * StoreOption.MIB)
                .set(StoreOption.REQUIRE_REPLICATION, StoreOption.Replication.NONE)
                .set(StoreOption.TAKEOVER, StoreOption.Takeover.AFTER_LEASE)
                .build();

        StoreConfiguration read = StoreConfiguration.builder()
                .withVariables(RecoveryChild.settings(wanted))
                .build();

        for (StoreOption<?> option : StoreOption.all()) {
            if (option.key().startsWith("tallystick.node-")) {
                assertThat(read.isSet(option)).as(option.key()).isFalse();
            } else {
                assertThat(read.isSet(option)).as(option.key()).isEqualTo(wanted.isSet(option));
                assertThat(read.find(option)).as(option.key()).isEqualTo(wanted.find(option));
            }
        }
    }

    /** Such as the drain of a starter: the child would refuse to start. */
    @Test
    void aChildHasNoVariableOfThisLibraryThatItDoesNotKnow() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "TALLYSTICK_DRAIN_ON_SHUTDOWN", "true",
                "TALLYSTICK_NAMERESOURCES", "false",
                "TALLYSTICK_NODE_POOL", "orders",
                "PATH", "/bin"));

        RecoveryChild.setUp(
                environment,
                pool().set(StoreOption.LEASE, Duration.ofSeconds(4)).build());

        assertThat(environment).containsOnlyKeys("PATH", "TALLYSTICK_STORE", "TALLYSTICK_LEASE");
    }

    /** Options of this process: an agent's port is taken, and a heap of its size has no room beside it. */
    @Test
    void aChildHasNoOptionsOfJavaThatThisProcessWasGiven() {
        Map<String, String> environment = new HashMap<>(Map.of(
                "JAVA_TOOL_OPTIONS", "-agentlib:jdwp=transport=dt_socket,server=y,address=9010",
                "JDK_JAVA_OPTIONS", "-XX:MaxRAMPercentage=75",
                "_JAVA_OPTIONS", "-Xmx4g",
                "PATH", "/bin"));

        RecoveryChild.setUp(environment, pool().build());

        assertThat(environment).containsOnlyKeys("PATH", "TALLYSTICK_STORE");
    }

    /** Where recovery runs already, over another log, it would roll back what this node has decided. */
    @Test
    void recoveryJudgesNobodyWhileALogIsTried() {
        JTAEnvironmentBean bean = jtaPropertyManager.getJTAEnvironmentBean();
        List<String> before = bean.getXaRecoveryNodes();
        FakePool pool = new FakePool(FakePool.ownerless("orders-2", State.GONE, false));
        List<List<String>> seen = new ArrayList<>();

        assertThatThrownBy(() -> new NodeChoice(
                                pool().build(), pool, (id, reason, remedy) -> new IllegalStateException(id))
                        .take(node -> {
                            seen.add(bean.getXaRecoveryNodes());
                            throw new IllegalStateException("Narayana has a store already");
                        }))
                .hasMessageContaining("a store already");

        assertThat(seen).containsExactly(List.of());
        assertThat(bean.getXaRecoveryNodes()).isEqualTo(before);
    }

    @Test
    void aChildIsToldItsNodeBehindTheArgumentsOfTheFile() {
        assertThat(RecoveryChild.command(Path.of("/etc/recover/arguments"), "orders-3"))
                .endsWith("@/etc/recover/arguments", "--node", "orders-3");
    }

    private StoreConfiguration.Builder pool() {
        return StoreConfiguration.builder().store("postgresql").set(StoreOption.NODE_POOL, "orders");
    }

    private static NodeChoice choice(StoreConfiguration wanted, Optional<String> chosen) {
        return NodeChoice.of(wanted, chosen, (id, reason, remedy) -> new IllegalStateException(id));
    }
}
