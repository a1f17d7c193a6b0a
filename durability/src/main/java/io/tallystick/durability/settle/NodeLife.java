package io.tallystick.durability.settle;

import com.arjuna.ats.arjuna.coordinator.ActionManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinateTransaction;
import com.arjuna.ats.internal.jta.transaction.arjunacore.jca.SubordinationManager;
import com.arjuna.ats.jta.TransactionManager;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.recover.NamedResource;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.testkit.Seeds;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Transaction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A node's life: transactions that end as their plans say. */
final class NodeLife {
    /** The file that has the Uid and the label of each transaction. */
    static final String LABELS = "labels";

    private static final String PARENT = "parent-1";

    private final Path directory;
    private final List<String> names;
    private final ResourceManagers.Participants participants;
    private final Consumer<String> steps;

    NodeLife(Path directory, List<String> names, ResourceManagers.Participants participants, Consumer<String> steps) {
        this.directory = directory;
        this.names = names;
        this.participants = participants;
        this.steps = steps;
    }

    /** Opens the log, carries out the plans, and closes the log; all decisions of the node are on disk then. */
    void run(List<Plan> plans) throws Exception {
        try (NarayanaStores stores = NarayanaStores.install(StoreConfiguration.fromEnvironment())) {
            for (Plan plan : plans) {
                if (plan.fate() == Plan.Fate.IMPORTED) {
                    imported(plan);
                } else {
                    transact(plan);
                }
                steps.accept("after transaction");
            }
            stores.store().force();
        }
    }

    private void transact(Plan plan) throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        enlist(plan, manager.getTransaction());
        try {
            manager.commit();
        } catch (RollbackException
                | jakarta.transaction.HeuristicMixedException
                | jakarta.transaction.HeuristicRollbackException planned) {
            // its resources have answered so
        }
    }

    private void imported(Plan plan) throws Exception {
        Xid parent = BranchXid.ofNode(Seeds.random(plan.label().hashCode()), PARENT);
        SubordinateTransaction transaction =
                SubordinationManager.getTransactionImporter().importTransaction(parent);
        enlist(plan, transaction);
        transaction.doPrepare();
        // As after the death of the process: nothing knows the transaction but its record.
        SubordinationManager.getTransactionImporter().removeImportedTransaction(parent);
        ActionManager.manager().remove(((TransactionImple) transaction).get_uid());
    }

    private void enlist(Plan plan, Transaction transaction) throws Exception {
        AtomicBoolean isNodeDead = new AtomicBoolean();
        for (int i = 0; i < plan.resources(); i++) {
            ResourceManagers.Participant participant = participants.of(names.get(i), plan.label());
            XAResource scripted = ScriptedResource.of(
                    participant.resource(), plan, i, isNodeDead, steps, xid -> note(xid, plan.label()));
            if (!transaction.enlistResource(new NamedResource(scripted, names.get(i)))) {
                throw new IllegalStateException("a resource of " + plan + " was not enlisted");
            }
            participant.work().call();
        }
    }

    private void note(Xid xid, String label) {
        try {
            Files.writeString(
                    directory.resolve(LABELS),
                    BranchXid.of(xid).uid() + " " + label + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
