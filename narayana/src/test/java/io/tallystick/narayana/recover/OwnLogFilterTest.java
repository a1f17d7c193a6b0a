package io.tallystick.narayana.recover;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter.Vote;
import io.tallystick.narayana.doubt.BranchXid;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import org.junit.jupiter.api.Test;

class OwnLogFilterTest {
    private final ObjectStore log =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());
    private final BranchXid branch = new BranchXid(new WrittenRecord(1, "orders-2").branch("x"));

    @Test
    void aBranchIsLeftToTheOtherFiltersWhileTheLogIsOurs() {
        assertThat(new OwnLogFilter(log).checkXid(branch)).isEqualTo(Vote.ABSTAIN);
        log.close();
    }

    @Test
    void aBranchIsLeftAloneOnceTheLogIsLost() {
        log.close();
        assertThat(new OwnLogFilter(log).checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
    }
}
