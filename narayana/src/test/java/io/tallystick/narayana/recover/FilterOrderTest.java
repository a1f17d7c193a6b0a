package io.tallystick.narayana.recover;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter.Vote;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Of filters that leave a branch alone only the first one is asked, and ours tells of the branch. */
class FilterOrderTest {
    private final XARecoveryModule module = new XARecoveryModule();
    private final XAResourceOrphanFilter ours = xid -> Vote.ABSTAIN;

    /** The module has asked Narayana for its stores. */
    @AfterEach
    void useNone() {
        StoreManager.shutdown();
    }

    @Test
    void ourFilterIsAskedBeforeThoseThatWereThere() {
        List<XAResourceOrphanFilter> before = List.copyOf(FilterOrder.of(module));

        FilterOrder.putFirst(module, ours);

        assertThat(before).isNotEmpty();
        assertThat(FilterOrder.of(module)).startsWith(ours).endsWith(before.toArray(XAResourceOrphanFilter[]::new));
        assertThat(FilterOrder.of(module)).hasSize(before.size() + 1);
    }

    @Test
    void aFilterThatWasBehindTheOthersIsThereOnce() {
        module.addXAResourceOrphanFilter(ours);
        int filters = FilterOrder.of(module).size();

        FilterOrder.putFirst(module, ours);
        FilterOrder.putFirst(module, ours);

        assertThat(FilterOrder.of(module)).startsWith(ours).hasSize(filters);
    }
}
