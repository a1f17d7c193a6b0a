package io.tallystick.narayana.recover;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter.Vote;
import io.tallystick.narayana.doubt.BranchXid;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OwnLogFilterTest {
    private final ObjectStore log =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());
    private final WrittenRecord record = new WrittenRecord(1, "orders-2").waiting("x");
    private final BranchXid branch = new BranchXid(record.branch("x"));

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void aBranchWithoutARecordIsLeftToTheOtherFilters() {
        assertThat(new OwnLogFilter(log).checkXid(branch)).isEqualTo(Vote.ABSTAIN);
    }

    /** Narayana's own filter does not look where the expiry scanner has put the record. */
    @Test
    void aBranchWhoseRecordWasGivenUpIsLeftAlone() {
        log.write(StateKey.of(WrittenRecord.ACTION + "/Expired", record.key().id()), record.bytes(), Durability.FORCED);

        assertThat(new OwnLogFilter(log).checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
        assertThat(new OwnLogFilter(log).checkXid(new BranchXid(new WrittenRecord(2, "orders-2").branch("x"))))
                .isEqualTo(Vote.ABSTAIN);
    }

    @Test
    void aBranchWhoseRecordIsKeptAsideIsLeftAlone() {
        OwnLogFilter filter = new OwnLogFilter(log, Set.of(record.key().id())::contains);

        assertThat(filter.checkXid(branch)).isEqualTo(Vote.LEAVE_ALONE);
        assertThat(filter.checkXid(new BranchXid(new WrittenRecord(2, "orders-2").branch("x"))))
                .isEqualTo(Vote.ABSTAIN);
    }
}
