package io.tallystick.narayana;

import com.arjuna.ats.jta.TransactionManager;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A process that commits one transaction over two resources and is dead at some event of it. */
final class CrashingProcess {
    /** How it ends there. */
    static final int STATUS = 42;

    /** The system property that gives both resources this one name, as Spring Boot's starter does. */
    static final String SHARED_NAME = "test.shared-name";

    private CrashingProcess() {}

    /** @param arguments the event, for which time it kills, and the directory in which the resources have theirs */
    public static void main(String[] arguments) throws Exception {
        Consumer<String> listener = haltingAt(arguments[0], Integer.parseInt(arguments[1]));
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        for (FileResource resource : resources(Path.of(arguments[2]), listener)) {
            manager.getTransaction().enlistResource(resource);
        }
        manager.commit();
        listener.accept("after transaction");
        throw new AssertionError("there was no event to die at");
    }

    /** The two resources of a transaction, in its directory. */
    static List<FileResource> resources(Path directory, Consumer<String> listener) throws IOException {
        String name = directory.getFileName().toString();
        return List.of(
                new FileResource(directory.resolve("a"), System.getProperty(SHARED_NAME, name + "/a"), listener),
                new FileResource(directory.resolve("b"), System.getProperty(SHARED_NAME, name + "/b"), listener));
    }

    static Consumer<String> haltingAt(String event, int times) {
        Map<String, Integer> said = new HashMap<>();
        return what -> {
            if (said.merge(what, 1, Integer::sum) == times && what.equals(event)) {
                Runtime.getRuntime().halt(STATUS);
            }
        };
    }
}
