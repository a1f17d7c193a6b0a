package io.tallystick.narayana.night;

import com.arjuna.ats.arjuna.coordinator.ActionManager;
import com.arjuna.ats.arjuna.coordinator.BasicAction;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinateTransaction;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinationManager;
import com.arjuna.ats.jta.TransactionManager;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.RollbackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;

/**
 * A bad night of a node: leaves a transaction of each kind that docs/three-in-the-morning.md knows in the log of this
 * process, and branches without a record at two resources. An application calls it; the framework around it does not
 * matter.
 */
public final class Night {
    private static final String FOREIGN_NODE = "another-node";

    private final NightBook book;
    private final List<String> uids = new ArrayList<>();

    private Night(Path directory) {
        this.book = new NightBook(directory);
    }

    /**
     * Leaves all of them.
     *
     * @param directory of the resources
     * @return a line for each transaction that has a record, its label and its Uid
     */
    public static List<String> fall(Path directory) throws Exception {
        Night night = new Night(directory);
        night.bringResources();
        night.transact("heuristic-rollback", 0, XAException.XA_HEURRB);
        night.transact("heuristic-commit", XAException.XA_HEURCOM, XAException.XA_RBROLLBACK);
        night.transact("heuristic-mixed", 0, XAException.XA_HEURMIX);
        night.transact("heuristic-hazard", 0, XAException.XA_HEURHAZ);
        night.transact("not-retried", 0, XAException.XAER_RMERR);
        night.transact("lost-resource", 0, -1);
        night.transact("class-missing", 0, -2);
        night.importFromParent("imported");
        night.prepare("orphan", NightXid.ofNode(TxControl.getXANodeName()));
        night.prepare("foreign", NightXid.ofNode(FOREIGN_NODE));
        return night.uids;
    }

    /** The parent of the imported transaction has decided to commit. */
    public static void commitImported(Path directory) throws XAException, IOException {
        String[] parts = Files.readString(directory.resolve("parent")).split(":");
        // As the parent's recovery does: it asks what is prepared here, and then tells the decision.
        SubordinationManager.getXATerminator().recover(XAResource.TMSTARTRSCAN);
        SubordinationManager.getXATerminator().recover(XAResource.TMENDRSCAN);
        SubordinationManager.getXATerminator()
                .commit(new NightXid(Integer.parseInt(parts[0]), parts[1], parts[2]), false);
    }

    private void bringResources() throws IOException {
        Escrow.makeKnown();
        Files.createDirectories(book.directory().resolve(NightBook.LOST));
        Files.writeString(book.directory().resolve(NightBook.LOST).resolve(NightBook.AWAY), "");
        Files.writeString(book.directory().resolve(NightBook.AWAY), "");
        for (String name : NightBook.PRESENT) {
            NightRecovery recovery = new NightRecovery();
            recovery.initialise(book.directory().resolve(name).toString());
            XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(recovery);
        }
    }

    private void transact(String label, int first, int second) throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        jakarta.transaction.Transaction transaction = manager.getTransaction();
        note(label, ((TransactionImple) transaction).get_uid().stringForm());
        transaction.enlistResource(new NightResource(book, "accounts", label, first));
        switch (second) {
            case -1 -> transaction.enlistResource(new NightResource(book, NightBook.LOST, label, 0));
            case -2 -> BasicAction.Current().add(new Escrow(book.directory().resolve("escrow")));
            default -> transaction.enlistResource(new NightResource(book, "stock", label, second));
        }
        try {
            manager.commit();
        } catch (RollbackException | HeuristicMixedException | HeuristicRollbackException planned) {
            // its resources have answered so
        }
    }

    private void importFromParent(String label) throws Exception {
        NightXid parent = NightXid.ofNode("parent");
        SubordinateTransaction transaction =
                SubordinationManager.getTransactionImporter().importTransaction(parent);
        for (String name : NightBook.PRESENT) {
            transaction.enlistResource(new NightResource(book, name, label, 0));
        }
        transaction.doPrepare();
        // As after the death of the process: nothing knows the transaction but its record.
        SubordinationManager.getTransactionImporter().removeImportedTransaction(parent);
        ActionManager.manager().remove(((TransactionImple) transaction).get_uid());
        note(label, ((TransactionImple) transaction).get_uid().stringForm());
        Files.writeString(
                book.directory().resolve("parent"), parent.format() + ":" + parent.global() + ":" + parent.branch());
    }

    private void prepare(String label, NightXid xid) throws IOException, XAException {
        new NightResource(book, "stock", label, 0).prepare(xid);
    }

    private void note(String label, String uid) {
        uids.add(label + " " + uid);
    }
}
