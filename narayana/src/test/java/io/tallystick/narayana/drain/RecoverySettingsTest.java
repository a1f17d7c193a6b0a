package io.tallystick.narayana.drain;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTANodeNameXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTATransactionLogXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.internal.jta.recovery.jts.ModuleOfJts;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import java.util.List;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecoverySettingsTest {
    private final JTAEnvironmentBean bean = jtaPropertyManager.getJTAEnvironmentBean();
    private final List<String> nodes = bean.getXaRecoveryNodes();
    private final List<XAResourceOrphanFilter> filters = bean.getXaResourceOrphanFilters();

    /** A filter of an application, for branches of JTS. */
    private static final class OwnFilter implements XAResourceOrphanFilter {
        @Override
        public Vote checkXid(Xid xid) {
            return Vote.ABSTAIN;
        }
    }

    @BeforeEach
    void nameThisNode() {
        bean.setXaRecoveryNodes(
                List.of(arjPropertyManager.getCoreEnvironmentBean().getNodeIdentifier()));
        bean.setXaResourceOrphanFilters(List.of(new JTANodeNameXAResourceOrphanFilter()));
    }

    @AfterEach
    void giveBack() {
        bean.setXaRecoveryNodes(nodes);
        bean.setXaResourceOrphanFilters(filters);
    }

    @Test
    void branchesOfJtsAreNotProvenToBeGoneByNarayanasFilters() {
        assertThat(RecoverySettings.gap(List.of(new XARecoveryModule()))).isEmpty();
        assertThat(RecoverySettings.gap(List.of(new XARecoveryModule(), new ModuleOfJts())))
                .hasValueSatisfying(gap -> assertThat(gap).contains("branches of JTS", "own lists"));
    }

    @Test
    void aFilterOfTheApplicationMayServeThem() {
        bean.setXaResourceOrphanFilters(List.of(new JTANodeNameXAResourceOrphanFilter(), new OwnFilter()));

        assertThat(RecoverySettings.gap(List.of(new XARecoveryModule(), new ModuleOfJts())))
                .isEmpty();
    }

    /** As with the defaults of Narayana's jar for JTS: orphans stay prepared, and nothing may call that proven. */
    @Test
    void filtersThatRollNothingBackAreAGap() {
        bean.setXaResourceOrphanFilters(List.of(new JTATransactionLogXAResourceOrphanFilter()));

        assertThat(RecoverySettings.gap(List.of(new XARecoveryModule()))).hasValueSatisfying(gap -> assertThat(gap)
                .contains("no orphan filter rolls back", JTANodeNameXAResourceOrphanFilter.class.getName()));
    }
}
