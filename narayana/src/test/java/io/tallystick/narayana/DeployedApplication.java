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
            manager.getTransaction().enlistResource(new ScriptedResource());
            manager.getTransaction().enlistResource(new ScriptedResource());
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
}
