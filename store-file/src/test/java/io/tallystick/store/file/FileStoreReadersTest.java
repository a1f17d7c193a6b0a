package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What readers see while the names of files change, and after a change whose outcome is unknown. */
@Timeout(120)
class FileStoreReadersTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final String TYPE = "/Some/Type";
    // The removal that finds so many changes in the queue applies them itself, its own the last.
    private static final StateKey LAST = key(FileStoreOptions.MAX_QUEUED_CHANGES);

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
    private final FileStore store = FileStore.open(FileStoreOptions.in(DIRECTORY), disk, NanoClock.SYSTEM);
    private final DiskFault.Stall directoryForce = new DiskFault.Stall();

    @AfterEach
    void close() {
        directoryForce.release();
        try {
            store.close();
        } catch (OutcomeUnknownException lost) {
            assertThat(disk.struck()).as("faults").isPositive();
        }
    }

    @Test
    void aReaderThatMeetsADeferredRemovalFindsNothingRatherThanCorruption() {
        queueRemovals();
        AtomicReference<Object> seen = new AtomicReference<>();
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(stateOf(LAST))
                .following(() -> seen.set(outcomeOf(() -> store.read(LAST)))));

        assertThat(store.remove(LAST, Durability.DEFERRED)).isTrue();

        assertThat(seen).hasValue(Optional.empty());
    }

    @Test
    void aDeferredRemovalOfUnknownOutcomeLeavesNothingRatherThanCorruption() {
        queueRemovals();
        disk.inject(DiskFault.in(DiskOperation.RENAME).onFiles(stateOf(LAST)).failingAfterwardsWith(DiskFault.EIO));

        assertThatThrownBy(() -> store.remove(LAST, Durability.DEFERRED)).isInstanceOf(OutcomeUnknownException.class);

        assertThat(outcomeOf(() -> store.read(LAST))).isEqualTo(Optional.empty());
        assertThat(store.statusOf(LAST)).isEqualTo(StateStatus.ABSENT);
        assertThat(store.keys(TYPE)).doesNotContain(LAST);
    }

    /** Another change of the same queue fails before this one begins; readers saw it as soon as it was queued. */
    @Test
    void whatReadersSawOfADeferredRemovalStaysSoWhenTheStoreFails() {
        queueRemovals();
        AtomicReference<Object> seen = new AtomicReference<>();
        disk.inject(DiskFault.in(DiskOperation.RENAME).onFiles(stateOf(key(1))).preceding(() -> {
            seen.set(outcomeOf(() -> store.read(LAST)));
            throw new IllegalStateException("thrown by the test");
        }));

        assertThatThrownBy(() -> store.remove(LAST, Durability.DEFERRED)).isInstanceOf(OutcomeUnknownException.class);

        assertThat(seen).hasValue(Optional.empty());
        assertThat(outcomeOf(() -> store.read(LAST))).isEqualTo(Optional.empty());
    }

    @Test
    void aReaderThatMeetsTheRenameOfADeferredWriteFindsTheState() {
        AtomicReference<Object> seen = new AtomicReference<>();
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(FileStoreReadersTest::isSpare)
                .following(() -> seen.set(
                        outcomeOf(() -> store.read(key(1)).map(state -> new String(state, StandardCharsets.UTF_8))))));
        store.write(key(1), state("deferred"), Durability.DEFERRED);

        store.force();

        assertThat(seen).hasValue(Optional.of("deferred"));
    }

    @Test
    void aMutationThatMeetsTheRenameOfADeferredShadowIsCarriedOut() throws Exception {
        CompletableFuture<Boolean> committed = new CompletableFuture<>();
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(FileStoreReadersTest::isSpare)
                .following(() -> awaitWaitingOrOver(
                        new Thread(() -> committed.complete(store.commitShadow(key(1), Durability.FORCED))),
                        committed)));
        store.writeShadow(key(1), state("deferred"), Durability.DEFERRED);

        store.force();

        assertThat(committed.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(store.read(key(1))).contains(state("deferred"));
    }

    @Test
    void aDeferredWriteWhoseRenameIsDoneAndFailsLeavesTheState() {
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(FileStoreReadersTest::isSpare)
                .failingAfterwardsWith(DiskFault.EIO));
        store.write(key(1), state("deferred"), Durability.DEFERRED);

        assertThatThrownBy(store::force).isInstanceOf(StoreException.class);

        assertThat(store.read(key(1))).contains(state("deferred"));
    }

    @Test
    void aDeferredWriteWhoseFileIsGoneIsNotTakenForTheStateBefore() throws IOException {
        store.write(key(1), state("before"), Durability.FORCED);
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(FileStoreReadersTest::isSpare)
                .failingWith(DiskFault.EIO));
        store.write(key(1), state("deferred"), Durability.DEFERRED);
        assertThatThrownBy(store::force).isInstanceOf(StoreException.class);
        assertThat(store.read(key(1))).contains(state("deferred"));

        for (Path file : simulated.list(statesDirectory())) {
            if (isSpare(file)) {
                simulated.delete(file);
            }
        }

        assertThatThrownBy(() -> store.read(key(1)))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("the file was written and is not there");
    }

    /**
     * Fills the queue of changes with removals that no round takes, because the one in progress forces its directory.
     */
    private void queueRemovals() {
        for (int i = 0; i <= FileStoreOptions.MAX_QUEUED_CHANGES; i++) {
            store.write(key(i), state("x"), Durability.DEFERRED);
        }
        store.write(key(-1), state("x"), Durability.FORCED);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).stallingAt(directoryForce));
        store.remove(key(-1), Durability.DEFERRED);
        directoryForce.awaitReached();
        for (int i = 0; i < FileStoreOptions.MAX_QUEUED_CHANGES; i++) {
            store.remove(key(i), Durability.DEFERRED);
        }
    }

    private static Object outcomeOf(Supplier<?> read) {
        try {
            return read.get();
        } catch (RuntimeException thrown) {
            return thrown;
        }
    }

    /** Starts the thread and waits until it waits for something itself. */
    private static void awaitWaitingOrOver(Thread thread, CompletableFuture<?> result) {
        thread.setUncaughtExceptionHandler((failed, thrown) -> result.completeExceptionally(thrown));
        thread.start();
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
    }

    private static Path statesDirectory() {
        Path path = DIRECTORY.resolve(FileNames.ROOT);
        for (String name : FileNames.directoriesOf(TYPE)) {
            path = path.resolve(name);
        }
        return path;
    }

    private static Predicate<Path> stateOf(StateKey key) {
        return file -> file.endsWith(FileNames.stateOf(key.id()));
    }

    private static boolean isSpare(Path file) {
        return FileNames.isSpare(file.getFileName().toString());
    }

    private static StateKey key(long number) {
        return StateKey.of(
                TYPE,
                ObjectId.of(ByteBuffer.allocate(Long.BYTES).putLong(number).array()));
    }

    private static byte[] state(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
