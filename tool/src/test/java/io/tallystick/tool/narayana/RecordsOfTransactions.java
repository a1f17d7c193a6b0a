package io.tallystick.tool.narayana;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.BasicAction;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinateTransaction;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinationManager;
import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.ats.jta.xa.XidImple;
import io.tallystick.narayana.NamedResources;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.store.ObjectStore;
import jakarta.transaction.HeuristicMixedException;
import java.io.IOException;
import javax.transaction.xa.XAException;
import javax.transaction.xa.Xid;

/** Makes Narayana leave records in a store. */
public final class RecordsOfTransactions {
    private RecordsOfTransactions() {}

    /** Makes the store that of all three roles. {@link StoreManager#shutdown} ends that. */
    public static void use(ObjectStore store) {
        new StoreManager(
                new TallystickObjectStore(store), new TallystickObjectStore(store), new TallystickObjectStore(store));
        com.arjuna
                .ats
                .jta
                .common
                .jtaPropertyManager
                .getJTAEnvironmentBean()
                .setXaResourceRecordWrappingPluginClassName(NamedResources.class.getName());
    }

    /** A transaction of which one participant is still to be told. */
    public static void inDoubt() throws Exception {
        commitOver(new ScriptedResource(0), new ScriptedResource(XAException.XAER_RMFAIL));
    }

    /** A transaction of which one participant has rolled back on its own. */
    public static void heuristic() throws Exception {
        commitOver(new ScriptedResource(0), new ScriptedResource(XAException.XA_HEURRB));
    }

    /**
     * A transaction of which one participant answers commit with this code.
     *
     * @param code of an {@link XAException}
     */
    public static void answeredWith(int code) throws Exception {
        commitOver(new ScriptedResource(0), new ScriptedResource(code));
    }

    /** A transaction in doubt with a participant of a class whose layout is not known, and one that can be read. */
    public static void withUnknownClass() throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        BasicAction.Current().add(new PrivateRecord());
        manager.getTransaction().enlistResource(new ScriptedResource(0));
        manager.getTransaction().enlistResource(new ScriptedResource(XAException.XAER_RMFAIL));
        manager.commit();
    }

    /** An imported transaction that is prepared, and whose parent has not decided. */
    public static void imported() throws Exception {
        SubordinateTransaction imported =
                SubordinationManager.getTransactionImporter().importTransaction(new XidImple(new Uid()));
        imported.enlistResource(new ScriptedResource(0));
        imported.doPrepare();
    }

    /** The record of a long running action with a participant. */
    public static byte[] lra() throws IOException {
        return ActionRecordTest.lra(166);
    }

    /** Returns the branch of the last resource. */
    static Xid commitOver(ScriptedResource... resources) throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        for (ScriptedResource resource : resources) {
            manager.getTransaction().enlistResource(resource);
        }
        try {
            manager.commit();
        } catch (HeuristicMixedException told) {
            // that is what was asked for
        }
        return resources[resources.length - 1].started();
    }
}
