package io.tallystick.benchmarks.subject;

import io.tallystick.benchmarks.Protocol;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;

/** The measured transaction of one thread: begin, enlist one or two resources that do nothing, commit. */
public final class DummyResources {
    private final DummyResource[] resources;

    /** For transactions of one thread. */
    public DummyResources(Protocol protocol) {
        resources = new DummyResource[protocol.resources()];
        for (int i = 0; i < resources.length; i++) {
            resources[i] = new DummyResource();
        }
    }

    /** One transaction. */
    public void transact(TransactionManager manager) throws Exception {
        manager.begin();
        Transaction transaction = manager.getTransaction();
        for (DummyResource resource : resources) {
            transaction.enlistResource(resource);
        }
        manager.commit();
    }
}
