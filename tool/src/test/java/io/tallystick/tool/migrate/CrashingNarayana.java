package io.tallystick.tool.migrate;

import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.jta.TransactionManager;
import io.tallystick.narayana.FileResource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A process that uses several of Narayana's stores one after the other, has in each of them a transaction of which one
 * resource is committed and the other in doubt, and dies.
 */
final class CrashingNarayana {
    /** How it ends. */
    static final int STATUS = 42;

    private CrashingNarayana() {}

    /** @param arguments where the stores and the resources have their directories, and the stores */
    public static void main(String[] arguments) {
        try {
            run(arguments);
        } catch (Exception failed) {
            failed.printStackTrace();
            Runtime.getRuntime().halt(1); // there are threads that wait for ever
        }
    }

    private static void run(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        for (String name : List.of(arguments).subList(1, arguments.length)) {
            ObjectStoreAPI store = NarayanaStore.valueOf(name)
                    .open(Files.createDirectories(stores(root).resolve(name)));
            // Closes what was used before, and all of Narayana's stores but the journal do nothing then: it comes last.
            StoreManager.shutdown();
            new StoreManager(store, store, store);
            CountDownLatch inDoubt = new CountDownLatch(1);
            AtomicInteger commits = new AtomicInteger();
            Thread transaction = new Thread(() -> commit(resources(root, name, event -> {
                if (event.equals("before commit") && commits.incrementAndGet() == 2) {
                    inDoubt.countDown();
                    while (true) {
                        LockSupport.park();
                    }
                }
            })));
            transaction.setDaemon(true);
            transaction.start();
            inDoubt.await();
        }
        Runtime.getRuntime().halt(STATUS);
    }

    static Path stores(Path root) {
        return root.resolve("stores");
    }

    /** Where a resource, {@code a} or {@code b}, of a store's transaction has its branches. */
    static Path resource(Path root, String store, String name) {
        return root.resolve("resources").resolve(store).resolve(name);
    }

    static List<FileResource> resources(Path root, String store, Consumer<String> listener) {
        try {
            return List.of(
                    new FileResource(resource(root, store, "a"), store + "/a", listener),
                    new FileResource(resource(root, store, "b"), store + "/b", listener));
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static void commit(List<FileResource> resources) {
        try {
            jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
            manager.begin();
            for (FileResource resource : resources) {
                manager.getTransaction().enlistResource(resource);
            }
            manager.commit();
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }
}
