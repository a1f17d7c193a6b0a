package io.tallystick.narayana.recover;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter.Vote;
import io.tallystick.narayana.doubt.BranchXid;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.logs.record.BranchId;
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

    /** Narayana rolls back a branch that has the format of its transaction's parent. */
    @Test
    void aBranchOfAnotherFormatIsLeftAloneOnceTheLogIsLost() {
        BranchXid other = new BranchXid(new BranchId(4711, "00", "00"));
        assertThat(new OwnLogFilter(log).checkXid(other)).isEqualTo(Vote.ABSTAIN);
        log.close();
        assertThat(new OwnLogFilter(log).checkXid(other)).isEqualTo(Vote.LEAVE_ALONE);
    }
}
