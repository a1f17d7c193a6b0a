package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StateType;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.arjuna.recovery.TransactionStatusManagerItem;
import com.arjuna.ats.jta.TransactionManager;
import java.nio.file.Path;

/**
 * A process that uses Narayana's three roles of a store, as it was configured, and prints who serves them: a
 * transaction over two resources, a state of an object, and what a process tells others about itself.
 */
final class RolesProcess {
    static final String STATE_TYPE = "/StateManager/Account";

    private RolesProcess() {}

    /** @param arguments a directory for the resources */
    public static void main(String[] arguments) throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        for (FileResource resource : CrashingProcess.resources(Path.of(arguments[0]), event -> {})) {
            manager.getTransaction().enlistResource(resource);
        }
        manager.commit();

        ObjectStoreAPI log = (ObjectStoreAPI) StoreManager.getRecoveryStore();
        ObjectStoreAPI states = (ObjectStoreAPI) StoreManager.setupStore(null, StateType.OS_UNSHARED);
        ObjectStoreAPI messages = (ObjectStoreAPI) StoreManager.getCommunicationStore();
        Uid uid = new Uid();
        states.write_uncommitted(uid, STATE_TYPE, NarayanaView.state(uid, STATE_TYPE, "balance"));
        states.commit_state(uid, STATE_TYPE);
        TransactionStatusManagerItem.createAndSave("localhost", 4711);
        tell("log", log);
        tell("states", states);
        tell("messages", messages);
        System.out.println("balance: " + NarayanaView.text(states.read_committed(uid, STATE_TYPE)));
        System.out.println("recovery sees processes: "
                + NarayanaView.uids(log, TransactionStatusManagerItem.typeName())
                        .size());
        TxControl.disable(true); // its shutdown hook would open the store again, and print that or not
        StoreManager.shutdown();
        System.exit(0);
    }

    private static void tell(String role, ObjectStoreAPI store) {
        String served = store.getClass().getSimpleName();
        if (store instanceof TallystickObjectStore ours) {
            served += " writes=" + ours.store().statistics().writes() + " "
                    + ours.store().description().directory().map(Path::toString).orElse("in memory");
        }
        System.out.println(role + ": " + served);
    }
}
