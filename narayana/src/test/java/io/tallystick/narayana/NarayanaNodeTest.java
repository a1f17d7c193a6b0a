package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node of a store, and the nodes whose branches recovery judges. */
class NarayanaNodeTest {
    private final String before = arjPropertyManager.getCoreEnvironmentBean().getNodeIdentifier();

    @TempDir
    private Path directory;

    @AfterEach
    void restoreIdentifier() throws Exception {
        arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier(before);
    }

    /** The class name of a store in Narayana's properties: the node has been read by then. */
    @Test
    void aPoolIsRefusedWhereNarayanaAsksForItsStore() {
        StoreConfiguration pool = StoreConfiguration.builder()
                .store("postgresql")
                .set(StoreOption.NODE_POOL, "orders")
                .build();

        assertThatThrownBy(() -> NarayanaNode.checked(pool))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.node-pool=orders", "NarayanaStores.install");
    }

    @Test
    void aLogInADatabaseBelongsToNarayanasNode() throws Exception {
        assertThatThrownBy(() -> NarayanaNode.checked(postgresql().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Narayana's node identifier is '1', a default")
                .hasMessageContaining("CoreEnvironmentBean.nodeIdentifier");
        identify("orders-2");
        assertThat(NarayanaNode.checked(postgresql().build()).get(StoreOption.NODE_ID))
                .isEqualTo("orders-2");
        StoreConfiguration same =
                postgresql().set(StoreOption.NODE_ID, "orders-2").build();
        assertThat(NarayanaNode.checked(same)).isSameAs(same);
        assertThatThrownBy(() -> NarayanaNode.checked(
                        postgresql().set(StoreOption.NODE_ID, "orders-3").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.node-id=orders-3")
                .hasMessageContaining("'orders-2'");
        identify("n".repeat(28));
        assertThat(NarayanaNode.checked(postgresql().build()).get(StoreOption.NODE_ID))
                .hasSize(28);
        identify("n".repeat(29));
        assertThatThrownBy(() -> NarayanaNode.checked(postgresql().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has 29 bytes")
                .hasMessageContaining("28");
    }

    @Test
    void theCheckHoldsForEachWayToAStore() throws Exception {
        identify("orders-2");
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        bean.setStore("postgresql");
        assertThat(StoreSettings.of(bean, new ObjectStoreEnvironmentBean()).get(StoreOption.NODE_ID))
                .isEqualTo("orders-2");
        bean.setNodeId("orders-3");
        assertThatThrownBy(() -> StoreSettings.of(bean, new ObjectStoreEnvironmentBean()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("orders-3");
        assertThatThrownBy(() -> NarayanaStores.install(
                        postgresql().set(StoreOption.NODE_ID, "orders-3").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("orders-3");
    }

    @Test
    void aStoreInADirectoryMayHaveAnotherNameThanNarayanasNode() throws Exception {
        identify("orders-2");
        StoreConfiguration other = StoreConfiguration.builder()
                .store("file")
                .set(StoreOption.NODE_ID, "volume-7")
                .build();
        assertThat(NarayanaNode.checked(other)).isSameAs(other);
    }

    @Test
    void aStoreInADirectoryThatIsNotOfNarayanasNodeIsWarnedOfOnce() {
        Map<String, String> volume = Map.of("tallystick.node-id", "volume-7");
        assertThat(run(StoreKind.FILE, "other", "orders-2", volume))
                .containsOnlyOnce("TALLY0505")
                .contains("tallystick.node-id=volume-7 is not Narayana's node identifier, which is 'orders-2'");
        assertThat(run(StoreKind.FILE, "default", "1", volume))
                .containsOnlyOnce("TALLY0505")
                .contains("which is '1'");
        assertThat(run(StoreKind.FILE, "same", "volume-7", volume)).doesNotContain("TALLY0505");
        assertThat(run(StoreKind.FILE, "unset", "orders-2", Map.of())).doesNotContain("TALLY0505");
        assertThat(run(StoreKind.INMEMORY, "memory", "orders-2", volume)).doesNotContain("TALLY0505");
    }

    @Test
    void aForeignNodeInTheNodesOfRecoveryIsWarnedOfOnce() {
        assertThat(run("orders-2", "orders-2 orders-1"))
                .containsOnlyOnce("TALLY0420")
                .contains("xaRecoveryNodes names [orders-1] beside or instead of this node, 'orders-2'");
        assertThat(run("orders-2", "*")).containsOnlyOnce("TALLY0420").contains("names [*]");
        assertThat(run("orders-2", "orders-2")).doesNotContain("TALLY0420");
    }

    private String run(String identifier, String recoveryNodes) {
        return run(
                StoreKind.INMEMORY, "store", identifier, Map.of("JTAEnvironmentBean.xaRecoveryNodes", recoveryNodes));
    }

    private String run(StoreKind kind, String name, String identifier, Map<String, String> more) {
        Map<String, String> properties =
                new LinkedHashMap<>(NarayanaProcess.properties(kind.settings(), directory.resolve(name)));
        if (kind == StoreKind.INMEMORY) {
            properties.remove("tallystick.directory");
        }
        properties.put("CoreEnvironmentBean.nodeIdentifier", identifier);
        properties.putAll(more);
        return ChildJvm.of(RolesProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, directory.resolve("resources").toString());
    }

    private static StoreConfiguration.Builder postgresql() {
        return StoreConfiguration.builder().store("postgresql");
    }

    private static void identify(String identifier) throws Exception {
        arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier(identifier);
    }
}
