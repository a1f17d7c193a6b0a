package io.tallystick.narayana.pool;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A process of its own that recovers the log of another node: Narayana has one node in a process. Its lines go where
 * those of this process go.
 */
final class RecoveryChild implements AutoCloseable {
    private static final Set<StoreOption<?>> OWN = Set.of(
            StoreOption.NODE_ID,
            StoreOption.NODE_POOL,
            StoreOption.NODE_POOL_SIZE,
            StoreOption.NODE_POOL_APPLICATION,
            StoreOption.NODE_POOL_RECOVER_AFTER,
            StoreOption.NODE_POOL_RECOVER_WITH);
    private static final String VARIABLES = "TALLYSTICK_";
    // Options of this process, such as the port of an agent or the size of its heap, are none of the child's.
    private static final Set<String> OPTIONS_OF_JAVA = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");
    private static final long END_SECONDS = 5;

    private final Process process;

    private RecoveryChild(Process process) {
        this.process = process;
    }

    /** @throws IllegalArgumentException there is no such file */
    static void check(Path file) {
        try {
            Disk.PathKind kind = new SystemDisk().kindOf(file);
            if (kind == Disk.PathKind.FILE || kind == Disk.PathKind.LINK) { // Kubernetes mounts links
                return;
            }
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    StoreOption.NODE_POOL_RECOVER_WITH.key() + "=" + file + " cannot be read: "
                            + unreadable.getMessage(),
                    unreadable);
        }
        throw new IllegalArgumentException(StoreOption.NODE_POOL_RECOVER_WITH.key() + "=" + file
                + " is no file; write the arguments of java for RecoverNode into it, as docs/node-pool.md shows");
    }

    /** The command: the file has the class path, the class and its helpers. */
    static List<String> command(Path file, String node) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + file, "--node", node);
    }

    /**
     * Puts the settings of the store in the place of all variables of this library: some of them are a framework's,
     * such as those of its drain, and the child would refuse what it does not know. The variables with options of java
     * go: the file has those of the child.
     */
    static void setUp(Map<String, String> environment, StoreConfiguration wanted) {
        environment.keySet().removeIf(name -> name.toUpperCase(Locale.ROOT).startsWith(VARIABLES));
        environment.keySet().removeAll(OPTIONS_OF_JAVA);
        environment.putAll(settings(wanted));
    }

    /** The settings of the store as the child reads them: those that are set, without those of the pool. */
    static Map<String, String> settings(StoreConfiguration wanted) {
        Map<String, String> variables = new LinkedHashMap<>();
        wanted.texts().forEach((option, text) -> {
            if (!OWN.contains(option)) {
                variables.put(option.environmentName(), text);
            }
        });
        return variables;
    }

    /** @throws IOException it cannot be started */
    static RecoveryChild start(Path file, String node, StoreConfiguration wanted) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command(file, node)).inheritIO();
        setUp(builder.environment(), wanted);
        return new RecoveryChild(builder.start());
    }

    long pid() {
        return process.pid();
    }

    /** Waits for so long; whether it has ended. */
    boolean hasEnded(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    int status() {
        return process.exitValue();
    }

    /** Ends it, which is safe at any time: another process goes on with what is left. */
    @Override
    public void close() {
        process.destroy();
        boolean isInterrupted = false;
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException hurry) {
            process.destroyForcibly();
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
