package io.tallystick.benchmarks.measure;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.subject.DummyResource;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;

/** The measured transaction of one thread: begin, enlist one or two resources that do nothing, commit. */
final class DummyResources {
    private final DummyResource[] resources;

    DummyResources(Protocol protocol) {
        resources = new DummyResource[protocol.resources()];
        for (int i = 0; i < resources.length; i++) {
            resources[i] = new DummyResource();
        }
    }

    void transact(TransactionManager manager)
            throws NotSupportedException, SystemException, RollbackException, HeuristicMixedException,
                    HeuristicRollbackException {
        manager.begin();
        Transaction transaction = manager.getTransaction();
        for (DummyResource resource : resources) {
            transaction.enlistResource(resource);
        }
        manager.commit();
    }
}
