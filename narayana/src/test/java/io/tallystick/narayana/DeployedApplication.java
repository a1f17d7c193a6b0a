package io.tallystick.narayana;

import com.arjuna.ats.arjuna.coordinator.TransactionReaper;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.jta.TransactionManager;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * A web application as a container sees it: what its listener does at the start and at the stop, and a request. The
 * container knows only the types of the JDK.
 */
public final class DeployedApplication implements Callable<String>, Consumer<String> {
    /** Its stop is the whole one of docs/embedding-narayana.md. */
    static final String WHOLE_STOP = "whole stop";
    /** Its stop leaves out what ends the threads of Narayana itself. */
    static final String STOP_OF_THE_STORES = "stop of the stores";

    private NarayanaStores stores;

    /** Not started. */
    public DeployedApplication() {}

    /** The start, then transactions; returns the description of the store. */
    @Override
    public String call() throws Exception {
        stores = NarayanaStores.install(StoreConfiguration.fromEnvironment());
        RecoveryManager.manager();
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        for (int i = 0; i < 3; i++) {
            manager.begin();
            manager.getTransaction().enlistResource(new Agreeing());
            manager.getTransaction().enlistResource(new Agreeing());
            manager.commit();
        }
        // So that the threads for deferred and for asynchronous changes live too.
        ObjectStore store = stores.store();
        StateKey key = StateKey.of("/Application/State", ObjectId.of(new byte[] {1}));
        store.writeAsync(key, new byte[1]).toCompletableFuture().join();
        store.write(key, new byte[2], Durability.DEFERRED);
        return store.description().toString();
    }

    /** The stop of this kind. */
    @Override
    public void accept(String stop) {
        if (stop.equals(WHOLE_STOP)) {
            TxControl.disable(true);
        }
        RecoveryManager.manager().terminate();
        if (stop.equals(WHOLE_STOP)) {
            TransactionReaper.terminate(false);
        }
        stores.close();
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
