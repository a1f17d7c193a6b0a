package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.storage.UnansweredWrites;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What this store does beyond the contract that all stores share. */
@Timeout(60)
class FileStoreTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final String TYPE = "/Some/Type";

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
    private final FileStore store = open(disk);

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aCommitForcesOneFileAndOneDirectory() {
        store.write(key(0), state("the first makes the directories"), Durability.FORCED);
        disk.clearLog();

        store.write(key(1), state("x"), Durability.FORCED);

        assertThat(disk.count(DiskOperation.FORCE)).isEqualTo(1);
        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(1);
    }

    @Test
    void nothingIsMadeWhereAStoreIsExpectedAndAStoreOfAnotherNodeIsRefused(@TempDir Path root) {
        StoreConfiguration.Builder configuration = StoreConfiguration.builder()
                .store("file")
                .directory(root.resolve("tx"))
                .set("tallystick.node-id", "orders-0");
        assertThatThrownBy(() -> ObjectStores.open(configuration.build().toBuilder()
                        .set("tallystick.expect-existing", "true")
                        .build()))
                .hasMessageContaining("a store is expected there");
        assertThat(root).isEmptyDirectory();

        ObjectStores.open(configuration.build()).close();
        assertThatThrownBy(() -> ObjectStores.open(
                        configuration.set("tallystick.node-id", "orders-1").build()))
                .hasMessageContainingAll("belongs to node=orders-0", "node=orders-1");
    }

    @Test
    void aDeferredRemoveTouchesNoDisk() {
        store.write(key(1), state("x"), Durability.FORCED);
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.RENAME).forEver().stallingAt(stall));
        disk.inject(DiskFault.in(DiskOperation.DELETE).forEver().stallingAt(stall));

        assertThat(store.remove(key(1), Durability.DEFERRED)).isTrue();

        assertThat(store.statusOf(key(1))).isEqualTo(StateStatus.ABSENT);
        stall.release();
    }

    @Test
    void commitsThatFollowEachOtherWriteIntoTheFilesOfEarlierOnes() {
        for (int i = 0; i < 100; i++) {
            store.write(key(i), state("x"), Durability.FORCED);
            store.remove(key(i), Durability.DEFERRED);
        }
        assertThat(disk.count(DiskOperation.OPEN, file -> FileNames.isSpare(name(file))))
                .as("files that were made")
                .isLessThan(5);
        assertThat(disk.count(DiskOperation.DELETE, file -> FileNames.isSpare(name(file))))
                .isZero();
    }

    @Test
    void moreFilesThanStayOpenAreOpenedAgainWhenTheyAreWritten() {
        int count = OpenFiles.MAX_STATES + OpenFiles.MAX_SPARES + 50;
        for (int life = 0; life < 2; life++) {
            for (int i = 0; i < count; i++) {
                store.write(key(i), state("x"), Durability.DEFERRED);
            }
            store.force();
            for (int i = 0; i < count; i++) {
                store.remove(key(i), Durability.DEFERRED);
            }
            store.force();
        }
        assertThat(disk.count(DiskOperation.OPEN, file -> FileNames.isSpare(name(file))))
                .isGreaterThan(count)
                .isLessThan(2 * count);
    }

    @Test
    void nobodySeesAForcedWriteBeforeItIsOnDisk() throws Exception {
        store.write(key(1), state("old"), Durability.FORCED);
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).stallingAt(stall));
        CompletableFuture<Void> rewritten =
                CompletableFuture.runAsync(() -> store.write(key(1), state("new"), Durability.FORCED));
        stall.awaitReached();
        assertThat(store.read(key(1))).contains(state("old"));

        stall.release();

        rewritten.get(30, TimeUnit.SECONDS);
        assertThat(store.read(key(1))).contains(state("new"));
    }

    @Test
    void nobodySeesANewKeyBeforeItIsOnDisk() throws Exception {
        store.write(key(0), state("the first makes the directories"), Durability.FORCED);
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).stallingAt(stall));
        CompletableFuture<Void> written =
                CompletableFuture.runAsync(() -> store.write(key(1), state("new"), Durability.FORCED));
        stall.awaitReached();
        assertThat(store.read(key(1))).isEmpty();
        assertThat(store.statusOf(key(1))).isEqualTo(StateStatus.ABSENT);
        assertThat(store.keys(TYPE)).containsExactly(key(0));

        stall.release();

        written.get(30, TimeUnit.SECONDS);
        assertThat(store.keys(TYPE)).containsExactlyInAnyOrder(key(0), key(1));
    }

    @Test
    void nobodyMissesAKeyBeforeItsForcedRemovalIsOnDisk() throws Exception {
        store.write(key(1), state("old"), Durability.FORCED);
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).stallingAt(stall));
        CompletableFuture<Boolean> removed =
                CompletableFuture.supplyAsync(() -> store.remove(key(1), Durability.FORCED));
        stall.awaitReached();
        assertThat(store.read(key(1))).contains(state("old"));
        assertThat(store.keys(TYPE)).containsExactly(key(1));

        stall.release();

        assertThat(removed.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(store.types()).isEmpty();
    }

    @Test
    void aDeferredWriteIsReadBeforeItsFileHasTheKeysName() {
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE).forEver().stallingAt(stall));

        store.write(key(1), state("deferred"), Durability.DEFERRED);

        assertThat(store.read(key(1))).contains(state("deferred"));
        stall.release();
        store.force();
        assertThat(store.read(key(1))).contains(state("deferred"));
        assertThat(disk.count(DiskOperation.RENAME, file -> FileNames.isSpare(name(file))))
                .isEqualTo(1);
    }

    @Test
    void whatIsDeferredAndLeftAloneIsSoonOnDisk() {
        store.write(key(1), state("kept"), Durability.FORCED);
        store.write(key(2), state("removed"), Durability.FORCED);
        store.write(key(3), state("deferred"), Durability.DEFERRED);
        store.remove(key(2), Durability.DEFERRED);

        await().atMost(Duration.ofSeconds(30)).until(() -> {
            long forced = store.statistics().recordsForced();
            return forced == 4;
        });

        try (FileStore found = open(simulated.crash(0))) {
            assertThat(found.keys(TYPE)).containsExactlyInAnyOrder(key(1), key(3));
        }
    }

    @Test
    void aDeferredWriteWithoutRoomForItsNameIsRefusedAndTheStoreGoesOn() {
        store.write(key(0), state("the first makes the directories"), Durability.FORCED);
        simulated.setCapacity(1024 * 1024);
        disk.inject(
                DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.ENOSPC).forEver());

        assertThatThrownBy(() -> {
                    store.write(key(1), state("x"), Durability.DEFERRED);
                    store.force();
                })
                .isInstanceOf(StoreFullException.class);

        assertThat(store.read(key(1))).isEmpty();
        assertThat(store.remove(key(0), Durability.DEFERRED)).isTrue();
        disk.clearFaults();
        store.write(key(1), state("x"), Durability.DEFERRED);
        store.force();
        assertThat(store.read(key(1))).hasValue(state("x"));
    }

    @Test
    void asynchronousWritesOfOneKeyHappenInTheOrderInWhichTheyWereAskedFor() {
        List<CompletableFuture<Void>> stages = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            stages.add(store.writeAsync(key(i % 2), state("state " + i)).toCompletableFuture());
        }
        stages.forEach(CompletableFuture::join);

        assertThat(store.read(key(0))).contains(state("state 198"));
        assertThat(store.read(key(1))).contains(state("state 199"));
    }

    @ParameterizedTest
    @CsvSource({"1, 1024, 3000", "1000000, 16, 60"})
    void asynchronousWritesWaitForAPlaceWhileTheDiskDoesNotKeepUp(int bytes, int places, int writes) throws Exception {
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE).forEver().stallingAt(stall));
        AtomicInteger accepted = new AtomicInteger();
        List<CompletionStage<Void>> stages = new ArrayList<>();
        FutureTask<Void> calls = new FutureTask<>(
                () -> {
                    for (int i = 0; i < writes; i++) {
                        stages.add(store.writeAsync(key(i), new byte[bytes]));
                        accepted.incrementAndGet();
                    }
                },
                null);
        Thread caller = new Thread(calls, "caller");
        caller.start();
        while (!calls.isDone() && caller.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }

        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> calls.isDone() || accepted.get() >= places);
            caller.interrupt();
            assertThat(calls.isDone()).as("every write was taken").isFalse();
            assertThat(accepted).hasValue(places);
        } finally {
            disk.clearFaults();
            stall.release();
        }
        calls.get(30, TimeUnit.SECONDS);
        for (CompletionStage<Void> stage : stages) {
            stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        assertThat(store.keys(TYPE)).hasSize(writes);
    }

    @Test
    void callersThatWaitForAPlaceLearnOfAFailedStoreAndOfAClosedOne() throws Exception {
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE).stallingAt(stall));
        disk.inject(DiskFault.in(DiskOperation.FORCE).forEver().failingWith(DiskFault.EIO));
        List<CompletableFuture<Object>> callers = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        for (int caller = 0; caller < 4; caller++) {
            int first = caller * AsyncWriters.PLACES;
            callers.add(CompletableFuture.supplyAsync(
                    () -> {
                        CompletionStage<Void> last = null;
                        for (int i = 0; i < AsyncWriters.PLACES; i++) {
                            last = store.writeAsync(key(first + i), state("x"));
                        }
                        return last.toCompletableFuture()
                                .handle((nothing, failure) -> failure)
                                .join();
                    },
                    threads));
        }

        stall.release();

        for (CompletableFuture<Object> caller : callers) {
            assertThat(caller.get(30, TimeUnit.SECONDS)).isInstanceOf(StoreException.class);
        }
        threads.shutdown();
        store.close();
        assertThatThrownBy(() -> store.writeAsync(key(1), new byte[AsyncWriters.PLACES]))
                .isInstanceOf(StoreClosedException.class);
    }

    @Test
    void anActionThatDependsOnAWriteMayCloseTheStore() throws Exception {
        CompletableFuture<Void> closed =
                store.writeAsync(key(1), state("last")).thenRun(store::close).toCompletableFuture();

        closed.get(30, TimeUnit.SECONDS);

        assertThatThrownBy(() -> store.read(key(1))).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void aStoreWithAWriteThatIsStillOutIsRefusedUntilTheProcessEnds(@TempDir Path temporary) {
        Path directory = temporary.resolve("store");
        open(new SystemDisk(), directory).close();
        UnansweredWrites.keep(directory.resolve("some-file"), new Object());

        assertThatThrownBy(() -> open(new SystemDisk(), directory))
                .isInstanceOfSatisfying(StoreLockedException.class, refused -> assertThat(refused.messageId())
                        .isEqualTo("TALLY0018"));
    }

    @Test
    void aStoreHasOnlyTheWatchOfItsPlaceUntilItNeedsAnotherThreadAndNoneAfterClosing(@TempDir Path temporary) {
        long without = threads();
        FileStore other = open(new SystemDisk(), temporary.resolve("store"));
        long before = threads();
        assertThat(before - without).isEqualTo(1);
        other.write(key(1), state("x"), Durability.FORCED);
        assertThat(threads() - before).isZero();
        other.remove(key(1), Durability.DEFERRED);
        assertThat(threads() - before).isEqualTo(1);
        other.writeAsync(key(1), state("x")).toCompletableFuture().join();
        // On a busy machine the watcher of stages adds a loop or two.
        assertThat(threads() - before).as("a writer, and two for stages").isBetween(4L, 6L);

        other.close();

        assertThat(threads()).isEqualTo(without);
    }

    @Test
    void aClosedStoreHasNoFileOpen(@TempDir Path temporary) throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(descriptors), "skipped: no /proc/self/fd to count open files in");
        FileStore other = open(new SystemDisk(), temporary.resolve("store"));
        for (int i = 0; i < 300; i++) {
            other.write(key(i), state("x"), i % 2 == 0 ? Durability.DEFERRED : Durability.FORCED);
        }
        for (int i = 0; i < 150; i++) {
            other.remove(key(i), Durability.DEFERRED);
        }
        assertThat(openFilesIn(temporary)).isBetween(10L, 300L);

        other.close();

        assertThat(openFilesIn(temporary)).isZero();
    }

    private static long openFilesIn(Path directory) throws IOException {
        long count = 0;
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : open.toList()) {
                try {
                    count += Files.readSymbolicLink(descriptor).startsWith(directory.toRealPath()) ? 1 : 0;
                } catch (NoSuchFileException closedMeanwhile) {
                    // not ours
                }
            }
        }
        return count;
    }

    @Test
    void aCleanCloseLeavesNothingButStates(@TempDir Path temporary) throws IOException {
        Path directory = temporary.resolve("store");
        FileStore other = open(new SystemDisk(), directory);
        for (int i = 0; i < 10; i++) {
            other.write(key(i), state("x"), Durability.FORCED);
        }
        for (int i = 1; i < 10; i++) {
            other.remove(key(i), Durability.DEFERRED);
        }
        other.close();

        try (Stream<Path> tree = Files.walk(directory.resolve(FileNames.ROOT))) {
            assertThat(tree.filter(Files::isRegularFile).map(FileStoreTest::name))
                    .containsExactly(FileNames.stateOf(key(0).id()));
        }
    }

    @Test
    void directoriesAndFilesAreTheOwnersOnly(@TempDir Path temporary) throws IOException {
        Path directory = temporary.resolve("store");
        try (FileStore other = open(new SystemDisk(), directory);
                Stream<Path> tree = openedWith(other, directory)) {
            assertThat(tree.filter(path -> !name(path).startsWith("tallystick")))
                    .allSatisfy(path -> {
                        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
                        assertThat(mode).isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------");
                    });
        }
    }

    private static Stream<Path> openedWith(FileStore store, Path directory) throws IOException {
        store.write(key(1), state("x"), Durability.FORCED);
        return Files.walk(directory);
    }

    @Test
    void theConfigurationChoosesTheStore(@TempDir Path temporary) {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .store("file")
                .directory(temporary.resolve("store"))
                .build();
        try (ObjectStore chosen = ObjectStores.open(configuration)) {
            assertThat(chosen).isInstanceOf(FileStore.class);
            assertThat(chosen.description().store()).isEqualTo("file");
            assertThat(chosen.description().directory()).map(Path::getFileName).contains(Path.of("store"));
        }
    }

    @Test
    void optionsComeFromTheConfigurationAndAreChecked() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .directory(DIRECTORY)
                .set("tallystick.expect-existing", "true")
                .set("tallystick.max-state-size", "2KiB")
                .build();
        FileStoreOptions options = FileStoreOptions.from(configuration);

        assertThat(options.directory()).isEqualTo(DIRECTORY);
        assertThat(options.isExistingExpected()).isTrue();
        assertThat(options.maxStateBytes()).isEqualTo(2048);
        assertThat(options.withMaxStateBytes(4096).maxStateBytes()).isEqualTo(4096);
        assertThat(options.toString()).contains("tallystick.directory=" + DIRECTORY);
        assertThatThrownBy(() -> options.withMaxStateBytes(1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(options.maxQueuedChanges()).isEqualTo(FileStoreOptions.MAX_QUEUED_CHANGES);
        assertThat(options.withMaxQueuedChanges(0).maxQueuedChanges()).isZero();
        assertThat(options.withMaxQueuedChanges(2).withMaxStateBytes(4096).maxQueuedChanges())
                .isEqualTo(2);
        assertThatThrownBy(() -> options.withMaxQueuedChanges(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withMaxQueuedChanges(257)).isInstanceOf(IllegalArgumentException.class);
        StoreConfiguration nowhere = StoreConfiguration.builder().build();
        assertThatThrownBy(() -> FileStoreOptions.from(nowhere))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.directory");
    }

    @Test
    void largeStatesAreWrittenAndReadInPieces(@TempDir Path temporary) {
        byte[] large = new byte[5_000_000];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i * 7 + i / 65_536);
        }
        FileStoreOptions options =
                FileStoreOptions.in(temporary.resolve("store")).withMaxStateBytes(large.length);
        Disk system = new SystemDisk();
        try (FileStore other = FileStore.open(options, system, NanoClock.SYSTEM)) {
            other.write(key(1), large, Durability.FORCED);
        }
        try (FileStore other = FileStore.open(options, system, NanoClock.SYSTEM)) {
            assertThat(other.read(key(1))).contains(large);
            assertThat(other.remove(key(1), Durability.FORCED)).isTrue();
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tallystick-file"))
                .filter(Thread::isAlive)
                .count();
    }

    private static FileStore open(Disk disk) {
        return open(disk, DIRECTORY);
    }

    private static FileStore open(Disk disk, Path directory) {
        return FileStore.open(FileStoreOptions.in(directory), disk, NanoClock.SYSTEM);
    }

    private static StateKey key(long number) {
        return StateKey.of(
                TYPE,
                ObjectId.of(ByteBuffer.allocate(Long.BYTES).putLong(number).array()));
    }

    private static byte[] state(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String name(Path file) {
        return Optional.ofNullable(file.getFileName()).map(Path::toString).orElse("");
    }
}
