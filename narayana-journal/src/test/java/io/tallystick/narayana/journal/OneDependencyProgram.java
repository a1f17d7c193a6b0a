package io.tallystick.narayana.journal;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** An application with transactions over two resources, which says where their log is. */
final class OneDependencyProgram {
    /** What stands before the description of the store. */
    static final String LOG = "log: ";

    private static final int TRANSACTIONS = 5;

    private OneDependencyProgram() {}

    /** @param arguments {@code install}; or {@code framework} and the directory that it gives Narayana */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("install")) {
            try (NarayanaStores stores = NarayanaStores.install(StoreConfiguration.fromEnvironment())) {
                commit();
                show(stores.store());
            }
        } else {
            for (String bean : new String[] {null, "stateStore", "communicationStore"}) {
                BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, bean)
                        .setObjectStoreDir(arguments[1]);
            }
            commit();
            show(((TallystickObjectStore) StoreManager.getRecoveryStore()).store());
            StoreManager.shutdown();
        }
        System.exit(0);
    }

    private static void commit() throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        for (int i = 0; i < TRANSACTIONS; i++) {
            manager.begin();
            manager.getTransaction().enlistResource(new Agreeing());
            manager.getTransaction().enlistResource(new Agreeing());
            manager.commit();
        }
    }

    private static void show(ObjectStore store) {
        System.out.println(LOG + store.description());
        System.out.println("forced for each transaction: " + (store.statistics().forces() >= TRANSACTIONS));
    }

    /** A resource that can commit and has nothing to do for it. */
    private static final class Agreeing implements XAResource {
        @Override
        public void start(Xid branch, int flags) {}

        @Override
        public void end(Xid branch, int flags) {}

        @Override
        public int prepare(Xid branch) {
            return XA_OK;
        }

        @Override
        public void commit(Xid branch, boolean onePhase) {}

        @Override
        public void rollback(Xid branch) {}

        @Override
        public void forget(Xid branch) {}

        @Override
        public Xid[] recover(int flag) {
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
