package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of the store where a thread has no stack, no memory or no other thread. */
@Timeout(120)
class FileStoreErrorsTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int KEYS = 3;

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
    private final FileStore store = open(disk);

    @Test
    void callersAtTheEndOfTheirStacksLeaveAStoreThatGoesOnAndHoldsWhatIsOnDisk() throws Exception {
        overflow(10);
    }

    @Tag("long")
    @Test
    void manyCallersAtTheEndOfTheirStacksLeaveAStoreThatGoesOn() throws Exception {
        overflow(40);
    }

    private void overflow(int callers) throws Exception {
        for (int i = 0; i < 2_000; i++) {
            change(i);
        }
        for (int i = 0; i < callers; i++) {
            int first = i;
            within(256 * 1024, () -> changeAtEveryDepth(first));
        }

        List<Optional<String>> held = within(0, () -> {
            store.write(key(KEYS), "another".getBytes(StandardCharsets.UTF_8), Durability.FORCED);
            store.force();
            List<Optional<String>> states = states(store);
            store.close();
            return states;
        });
        try (FileStore again = open(disk)) {
            assertThat(states(again)).isEqualTo(held);
        }
    }

    @Test
    void aDeferredRemovalIsDoneAlthoughNoThreadCanBeStartedForItAndTheStoreFailsMeanwhile() throws Exception {
        store.write(key(0), new byte[1], Durability.FORCED);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).forEver().failingWith(DiskFault.EIO));
        FutureTask<Boolean> removal = new FutureTask<>(() -> store.remove(key(0), Durability.DEFERRED));
        setThreads(task -> {
            throw new OutOfMemoryError("thrown by the test: no thread can be made");
        });
        new Thread(removal, "caller").start();

        assertThat(removal.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(store.read(key(0))).isEmpty();
        assertThat(store.failure()).isPresent();
        assertThatThrownBy(store::close).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aSpareFileThatCouldNotBeOpenedIsDeletedByTheClosingAndNotFoundByTheNextOpening() throws Exception {
        removeSoManyThatSpareFilesAreClosed();
        disk.inject(DiskFault.in(DiskOperation.OPEN).forEver().failingWith("Too many open files"));
        assertThatThrownBy(() -> store.write(key(0), new byte[1], Durability.FORCED))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("Too many open files");
        disk.clearFaults();
        store.write(key(0), new byte[1], Durability.FORCED);

        store.close();

        assertThat(filesBelow(DIRECTORY.resolve("states")))
                .extracting(file -> file.getFileName().toString())
                .noneMatch(FileNames::isSpare)
                .hasSize(1);
    }

    @Test
    void aWriteDoesWithoutASpareFileThatCannotBeOpened() throws Exception {
        removeSoManyThatSpareFilesAreClosed();
        disk.inject(DiskFault.in(DiskOperation.OPEN).failingWith(DiskFault.EIO));

        store.write(key(0), new byte[1], Durability.FORCED);

        assertThat(store.read(key(0))).isPresent();
        store.close();
        assertThat(filesBelow(DIRECTORY.resolve("states"))).hasSize(1);
    }

    private void removeSoManyThatSpareFilesAreClosed() {
        int count = OpenFiles.MAX_STATES + 10;
        for (int i = 0; i < count; i++) {
            store.write(key(i), new byte[1], Durability.FORCED);
        }
        for (int i = count; i-- > 0; ) { // those that are closed last, because they are used first
            store.remove(key(i), Durability.FORCED);
        }
    }

    private List<Path> filesBelow(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path path : disk.list(directory)) {
            if (disk.kindOf(path) == Disk.PathKind.DIRECTORY) {
                files.addAll(filesBelow(path));
            } else {
                files.add(path);
            }
        }
        return files;
    }

    @Test
    void aWriteIsToldOnceAndAsItIsAlthoughTheExecutorQueuesItAndThrows() throws Exception {
        setExecutor(new Threads(1) {
            @Override
            public void execute(Runnable write) {
                super.execute(write);
                throw new OutOfMemoryError("thrown by the test");
            }
        });
        List<CompletableFuture<Boolean>> told = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            told.add(store.writeAsync(key(i), new byte[1])
                    .handle((done, failure) -> failure == null)
                    .toCompletableFuture());
        }
        List<Boolean> expected = new ArrayList<>();
        for (CompletableFuture<Boolean> each : told) {
            expected.add(each.get(30, TimeUnit.SECONDS));
        }
        within(0, () -> {
            store.close();
            return null;
        });

        List<Boolean> found = new ArrayList<>();
        try (FileStore again = open(disk)) {
            for (int i = 0; i < 1_000; i++) {
                found.add(again.read(key(i)).isPresent());
            }
        }
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void allWritesOfOneKeyAreToldAlthoughNoThreadCanBeStarted() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        setExecutor(new Threads(1) {
            @Override
            public void execute(Runnable write) {
                if (calls.incrementAndGet() > 1) {
                    throw new OutOfMemoryError("thrown by the test");
                }
                super.execute(write);
            }
        });
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE).stallingAt(stall));
        List<CompletionStage<Void>> stages = new ArrayList<>();
        for (int i = 0; i < AsyncWriters.PLACES; i++) {
            stages.add(store.writeAsync(key(0), new byte[1]));
        }
        FutureTask<Void> others = new FutureTask<>(
                () -> {
                    for (int i = AsyncWriters.PLACES; i < 20_000; i++) {
                        stages.add(store.writeAsync(key(0), new byte[1]));
                    }
                },
                null);
        new Thread(others, "others").start();

        stall.release();

        others.get(60, TimeUnit.SECONDS);
        int failed = 0;
        for (CompletionStage<Void> stage : stages) {
            failed += stage.handle((done, failure) -> failure == null ? 0 : 1)
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
        }
        assertThat(failed).isEqualTo(19_999);
        within(0, () -> {
            store.close();
            return null;
        });
    }

    @Test
    void noFileStaysOpenWhereTheStoreFailsWhileADeferredWriteIsWritten() throws Exception {
        OpenFileWatch watch = new OpenFileWatch(disk);
        FileStore watched = openAnother(watch.disk());
        watched.write(key(0), new byte[1], Durability.FORCED);
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.WRITE).stallingAt(stall));
        FutureTask<Void> deferred =
                new FutureTask<>(() -> watched.write(key(1), new byte[1], Durability.DEFERRED), null);
        new Thread(deferred, "deferring").start();
        stall.awaitReached();
        disk.inject(DiskFault.in(DiskOperation.FORCE).failingWith(DiskFault.EIO));
        assertThatThrownBy(() -> watched.write(key(2), new byte[1], Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);

        stall.release();

        assertThatThrownBy(() -> deferred.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFailedException.class);
        watched.close();
        assertThat(watch.open()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = DiskOperation.class,
            names = {"WRITE", "FORCE"})
    void noFileStaysOpenWhereAThreadHasNoMemory(DiskOperation operation) {
        OpenFileWatch watch = new OpenFileWatch(disk);
        FileStore watched = openAnother(watch.disk());
        watched.write(key(0), new byte[1], Durability.FORCED);
        disk.inject(DiskFault.in(operation).preceding(() -> {
            throw new OutOfMemoryError("thrown by the test");
        }));

        assertThatThrownBy(() -> watched.write(key(1), new byte[1], Durability.FORCED))
                .isInstanceOf(OutOfMemoryError.class);

        assertThat(watched.failure()).isEmpty();
        watched.write(key(1), new byte[1], Durability.FORCED);
        watched.close();
        assertThat(watch.open()).isEmpty();
    }

    /** A map inserts first, and then lacks the memory to count or to grow. */
    @Test
    void aKeyIsUsableAlthoughItsFirstOperationFoundNoMemoryInTheIndex() throws Exception {
        TypeDirectory type = new TypeDirectory(
                "/Some/Type", DIRECTORY, new SpareFiles(DIRECTORY, new AtomicLong(), new OpenFiles()));
        AtomicBoolean isFirst = new AtomicBoolean(true);
        Field tickets = TypeDirectory.class.getDeclaredField("tickets");
        tickets.setAccessible(true);
        tickets.set(type, new ConcurrentHashMap<ObjectId, KeyTicket>() {
            private static final long serialVersionUID = 1;

            @Override
            public KeyTicket putIfAbsent(ObjectId id, KeyTicket ticket) {
                KeyTicket before = super.putIfAbsent(id, ticket);
                if (isFirst.getAndSet(false)) {
                    throw new OutOfMemoryError("thrown by the test");
                }
                return before;
            }
        });
        ObjectId id = key(0).id();

        KeyTicket first = within(0, () -> type.queue(id));
        type.settle(id, first, StoredState.NOTHING);

        assertThat(within(0, () -> type.queue(id).await())).isSameAs(StoredState.NOTHING);
    }

    @Test
    void aCloseThatHasNoMemoryForItsThreadsClosesAllElse() throws Exception {
        OpenFileWatch watch = new OpenFileWatch(disk);
        FileStore watched = openAnother(watch.disk());
        setExecutor(watched, new Threads(1) {
            @Override
            public void shutdown() {
                throw new OutOfMemoryError("thrown by the test");
            }
        });
        watched.write(key(0), new byte[1], Durability.DEFERRED);

        assertThatThrownBy(watched::close).isInstanceOf(OutOfMemoryError.class);

        assertThat(watch.open()).isEmpty();
        try (FileStore again = openAnother(disk)) {
            assertThat(again.read(key(0))).isPresent();
        }
    }

    private static FileStore openAnother(Disk on) {
        return FileStore.open(FileStoreOptions.in(Path.of("/simulated/another")), on, NanoClock.SYSTEM);
    }

    private static class Threads extends ThreadPoolExecutor {
        Threads(int count) {
            super(count, count, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                // So small that a recursion over all writes of a key does not fit.
                Thread thread = new Thread(null, task, "writer", 256 * 1024);
                thread.setDaemon(true);
                return thread;
            });
        }
    }

    private void setExecutor(ThreadPoolExecutor executor) throws ReflectiveOperationException {
        setExecutor(store, executor);
    }

    private static void setExecutor(FileStore of, ThreadPoolExecutor executor) throws ReflectiveOperationException {
        Field queue = FileStore.class.getDeclaredField("asyncWrites");
        queue.setAccessible(true);
        Field writers = AsyncWriteQueue.class.getDeclaredField("writers");
        writers.setAccessible(true);
        Field field = AsyncWriters.class.getDeclaredField("executor");
        field.setAccessible(true);
        field.set(writers.get(queue.get(of)), executor);
    }

    /** Makes the thread of the store that forces what callers have deferred. */
    private void setThreads(ThreadFactory threads) throws ReflectiveOperationException {
        Field changes = FileStore.class.getDeclaredField("changes");
        changes.setAccessible(true);
        Field idle = StateChanges.class.getDeclaredField("idle");
        idle.setAccessible(true);
        Field field = IdleForcer.class.getDeclaredField("threads");
        field.setAccessible(true);
        field.set(idle.get(changes.get(store)), threads);
    }

    private Void changeAtEveryDepth(int number) {
        try {
            change(number);
            changeAtEveryDepth(number + 1);
        } catch (StackOverflowError atTheEnd) {
            // the caller above goes on from here
        }
        return null;
    }

    private void change(int number) {
        StateKey key = key(number % KEYS);
        switch (number % 5) {
            case 0 -> store.remove(key, Durability.DEFERRED);
            case 1 -> store.write(key, ("deferred " + number).getBytes(StandardCharsets.UTF_8), Durability.DEFERRED);
            case 2 -> store.force();
            default -> store.write(key, ("forced " + number).getBytes(StandardCharsets.UTF_8), Durability.FORCED);
        }
    }

    private interface Call<T> {
        T make() throws Exception;
    }

    /** Makes the call on a thread of its own, and fails if it does not end. */
    private static <T> T within(long stackBytes, Call<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call::make);
        Thread thread = new Thread(null, task, "caller", stackBytes);
        thread.setDaemon(true);
        thread.start();
        return task.get(30, TimeUnit.SECONDS);
    }

    private static List<Optional<String>> states(FileStore of) {
        List<Optional<String>> states = new ArrayList<>();
        for (int i = 0; i <= KEYS; i++) {
            states.add(of.read(key(i)).map(bytes -> new String(bytes, StandardCharsets.UTF_8)));
        }
        return states;
    }

    private static FileStore open(Disk disk) {
        return FileStore.open(FileStoreOptions.in(DIRECTORY), disk, NanoClock.SYSTEM);
    }

    private static StateKey key(long number) {
        return StateKey.of(
                "/Some/Type",
                ObjectId.of(ByteBuffer.allocate(Long.BYTES).putLong(number).array()));
    }
}
