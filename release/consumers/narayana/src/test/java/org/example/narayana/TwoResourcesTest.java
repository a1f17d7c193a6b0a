package org.example.narayana;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.store.StoreStatistics;
import jakarta.transaction.TransactionManager;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Test;

class TwoResourcesTest {
    private final List<String> calls = new CopyOnWriteArrayList<>();

    @Test
    void aDecisionIsLoggedBetweenPreparingAndCommitting() throws Exception {
        TransactionManager manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        StoreStatistics before = new TallystickObjectStore().store().statistics();

        manager.begin();
        manager.getTransaction().enlistResource(new Recorded("a"));
        manager.getTransaction().enlistResource(new Recorded("b"));
        manager.commit();

        StoreStatistics after = new TallystickObjectStore().store().statistics();
        assertEquals(List.of("prepare a", "prepare b", "commit a", "commit b"), calls);
        assertTrue(after.writes() > before.writes(), "the store was written to");
        assertTrue(after.forces() > before.forces(), "the disk was waited for");
    }

    private final class Recorded implements XAResource {
        private final String name;

        Recorded(String name) {
            this.name = name;
        }

        @Override
        public int prepare(Xid xid) {
            calls.add("prepare " + name);
            return XA_OK;
        }

        @Override
        public void commit(Xid xid, boolean onePhase) {
            calls.add("commit " + name);
        }

        @Override
        public void rollback(Xid xid) {
            calls.add("rollback " + name);
        }

        @Override
        public void start(Xid xid, int flags) {}

        @Override
        public void end(Xid xid, int flags) {}

        @Override
        public void forget(Xid xid) {}

        @Override
        public Xid[] recover(int flags) {
            return new Xid[0];
        }

        @Override
        public boolean isSameRM(XAResource other) {
            return other == this;
        }

        @Override
        public int getTransactionTimeout() {
            return 0;
        }

        @Override
        public boolean setTransactionTimeout(int seconds) {
            return false;
        }
    }
}
