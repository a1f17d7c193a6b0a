package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An error that a disk tells once is not hidden from any caller whom it concerns. */
@Timeout(120)
class DirectoryForcesTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final String TYPE = "/Some";

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);

    /** The other caller forces the same directory: for a state in it, or for a new directory below it. */
    @ParameterizedTest
    @ValueSource(strings = {TYPE, "/Some/Type"})
    void aWriteIsNotAcknowledgedWhenTheForceOfAnotherCallerWasToldOfItsError(String otherType) throws Exception {
        FileStore store = open(disk);
        store.write(key(TYPE, 0), state(), Durability.FORCED);
        DiskFault.Stall first = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).stallingAt(first));
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY)
                .at(2)
                .preceding(() -> simulated.failNextDirectoryForce(false)));
        CompletableFuture<Void> written = new CompletableFuture<>();
        CompletableFuture<Void> other = new CompletableFuture<>();
        start(store, key(TYPE, 1), written);
        first.awaitReached();
        awaitWaitingOrOver(start(store, key(otherType, 2), other));

        first.release();

        assertThatThrownBy(() -> other.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        boolean acknowledged =
                written.handle((nothing, failure) -> failure == null).get(60, TimeUnit.SECONDS);
        try (FileStore next = open(simulated.crash(0))) {
            assertThat(next.read(key(TYPE, 1)).isPresent() || !acknowledged)
                    .as("a write that was acknowledged is there after a crash")
                    .isTrue();
        }
    }

    /** A round forces the directory first; then a caller that has made a new directory below it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDirectoryIsNotForcedAgainAfterAForceThatFailed(boolean goneAtOnce) throws Exception {
        FileStore store = open(disk);
        store.write(key(TYPE, 0), state(), Durability.FORCED);
        disk.clearLog();
        simulated.failNextDirectoryForce(goneAtOnce);
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).stallingAt(stall));
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        start(store, key(TYPE, 1), first);
        stall.awaitReached();
        awaitWaitingOrOver(start(store, key("/Some/Type", 2), second));

        stall.release();

        assertThatThrownBy(() -> first.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> second.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(1);
        store.close();
        try (FileStore next = open(simulated.crash(0))) {
            assertThat(next.read(key(TYPE, 0))).contains(state());
        }
    }

    /**
     * Why a file's error is hidden from nobody: it stays open from its first write to its force, and one caller has it.
     */
    @Test
    void eachFileIsForcedThroughTheOneOpenFileThatWroteIt() {
        Map<Path, Object> writers = new ConcurrentHashMap<>();
        Set<String> violations = ConcurrentHashMap.newKeySet();
        try (FileStore store = open(watched(simulated, writers, violations))) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 200; i++) {
                    store.write(key(TYPE, i), state(), i % 2 == 0 ? Durability.FORCED : Durability.DEFERRED);
                    store.writeShadow(
                            key(TYPE, i), new byte[5000], i % 3 == 0 ? Durability.FORCED : Durability.DEFERRED);
                }
                store.force();
                for (int i = 0; i < 200; i++) {
                    store.commitShadow(key(TYPE, i), Durability.FORCED);
                    store.remove(key(TYPE, i), Durability.DEFERRED);
                }
            }
        }
        assertThat(violations).isEmpty();
        writers.keySet().removeIf(path -> path.getFileName().toString().startsWith(StoreDirectory.OWNER_FILE));
        assertThat(writers)
                .as("written and not forced, but the note of the owner")
                .isEmpty();
    }

    private static Disk watched(Disk disk, Map<Path, Object> writers, Set<String> violations) {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    Object result = invoke(method, disk, arguments);
                    return result instanceof DiskFile file ? watched(file, writers, violations) : result;
                });
    }

    private static DiskFile watched(DiskFile file, Map<Path, Object> writers, Set<String> violations) {
        return (DiskFile) Proxy.newProxyInstance(
                DiskFile.class.getClassLoader(), new Class<?>[] {DiskFile.class}, (proxy, method, arguments) -> {
                    Path path = file.path();
                    boolean isWrite = method.getName().startsWith("write");
                    if (!isWrite && !method.getName().equals("force")) {
                        return invoke(method, file, arguments);
                    }
                    Object writer = isWrite ? writers.putIfAbsent(path, file) : writers.get(path);
                    if (writer != null && writer != file) {
                        violations.add(method.getName() + " of " + path + " beside the file that writes it");
                    }
                    Object result = invoke(method, file, arguments);
                    if (!isWrite) {
                        writers.remove(path);
                    }
                    return result;
                });
    }

    private static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static Thread start(FileStore store, StateKey key, CompletableFuture<Void> written) {
        Thread thread = new Thread(() -> {
            try {
                store.write(key, state(), Durability.FORCED);
                written.complete(null);
            } catch (StoreException failed) {
                written.completeExceptionally(failed);
            }
        });
        thread.start();
        return thread;
    }

    private static void awaitWaitingOrOver(Thread thread) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
    }

    private static FileStore open(Disk disk) {
        return FileStore.open(FileStoreOptions.in(DIRECTORY), disk, NanoClock.SYSTEM);
    }

    private static StateKey key(String type, long number) {
        return StateKey.of(
                type,
                ObjectId.of(ByteBuffer.allocate(Long.BYTES).putLong(number).array()));
    }

    private static byte[] state() {
        return "state".getBytes(StandardCharsets.UTF_8);
    }
}
