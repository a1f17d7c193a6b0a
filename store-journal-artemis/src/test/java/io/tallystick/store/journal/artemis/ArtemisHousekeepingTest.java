package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.artemis.room.RoomRequests;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to callers, threads and files when the housekeeper of the journal fails at its work. */
@Timeout(180)
class ArtemisHousekeepingTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final int FILE_BYTES = 64 * 1024;

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);

    /** The caller waits for room when memory runs out on the thread that makes room. */
    @Test
    void anErrorOfTheHousekeeperIsToldToACallerThatWaitsForRoom() throws Exception {
        ObjectStore store = open(disk);
        AtomicReference<Thread> caller = new AtomicReference<>();
        disk.inject(DiskFault.in(DiskOperation.OPEN)
                .onFiles(ArtemisHousekeepingTest::isUnfinished)
                .forEver()
                .preceding(() -> {
                    awaitWaiting(caller);
                    throw new OutOfMemoryError("thrown by the test");
                }));
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        Thread writing = new Thread(() -> {
            try {
                for (int i = 0; ; i++) {
                    store.write(key(i), new byte[1200], Durability.FORCED);
                }
            } catch (Throwable thrown) {
                outcome.complete(thrown);
            }
        });
        writing.setDaemon(true);
        caller.set(writing);
        writing.start();

        assertThat(outcome.get(60, TimeUnit.SECONDS))
                .isInstanceOf(StoreException.class)
                .isNotInstanceOf(StoreFullException.class);
        assertThat(store.failure()).isPresent();
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    @Test
    void aDiskThatRefusesAFileIsNotToldAsFull() {
        try (ObjectStore store = open(disk)) {
            store.write(key(0), new byte[1200], Durability.FORCED);
            disk.inject(DiskFault.in(DiskOperation.OPEN)
                    .onFiles(ArtemisHousekeepingTest::isUnfinished)
                    .forEver()
                    .failingWith(DiskFault.EIO));
            int[] written = {1};
            assertThatThrownBy(() -> {
                        for (; ; written[0]++) {
                            store.write(key(written[0]), new byte[1200], Durability.FORCED);
                        }
                    })
                    .isInstanceOf(StoreIoException.class)
                    .hasMessageContainingAll("nothing was written", DiskFault.EIO, "check the disk");
            assertThat(store.failure()).isEmpty();
            assertThat(store.read(key(written[0]))).isEmpty();
            assertThat(store.remove(key(0), Durability.FORCED)).isTrue();

            disk.clearFaults();

            for (int i = 0; i < 200; i++) {
                store.write(key(1000 + i), new byte[1200], Durability.FORCED);
            }
        }
    }

    @Test
    void aFileThatFoundNoRoomIsToldAsFullAlthoughThereIsRoomAgain() {
        AtomicBoolean isFull = new AtomicBoolean();
        Disk full = withUsableSpace(() -> isFull.getAndSet(false) ? 0 : Long.MAX_VALUE);
        try (ObjectStore store = open(full)) {
            assertThatThrownBy(() -> {
                        for (int i = 0; ; i++) {
                            isFull.set(true);
                            store.write(key(i), new byte[1200], Durability.FORCED);
                        }
                    })
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("usable-space=0");
        }
    }

    @Test
    void aFileThatTheDiskHadNoRoomForIsToldAsFullAlthoughItsDeletionMadeRoom() {
        Disk full = withUsableSpace(() -> Long.MAX_VALUE);
        try (ObjectStore store = open(full)) {
            disk.inject(DiskFault.in(DiskOperation.WRITE)
                    .onFiles(ArtemisHousekeepingTest::isUnfinished)
                    .forEver()
                    .failingWith(DiskFault.ENOSPC));
            assertThatThrownBy(() -> {
                        for (int i = 0; ; i++) {
                            store.write(key(i), new byte[1200], Durability.FORCED);
                        }
                    })
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining(DiskFault.ENOSPC);
        }
    }

    /** The disk, with another answer to how much room there is. */
    private Disk withUsableSpace(LongSupplier bytes) {
        return (Disk) Proxy.newProxyInstance(
                Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("usableSpace")) {
                        return bytes.getAsLong();
                    }
                    try {
                        return method.invoke(disk, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    @Test
    void anOpeningThatFailsTwiceLeavesNoThreadAndNoFile() {
        OpenFileWatch files = new OpenFileWatch(disk);
        disk.inject(DiskFault.in(DiskOperation.WRITE)
                .onFiles(ArtemisHousekeepingTest::isUnfinished)
                .failingWith(DiskFault.EIO));
        disk.inject(DiskFault.in(DiskOperation.DELETE)
                .onFiles(ArtemisHousekeepingTest::isUnfinished)
                .preceding(() -> {
                    throw new OutOfMemoryError("thrown by the test");
                }));
        List<Thread> before = housekeepers();

        assertThatThrownBy(() -> open(files.disk()))
                .isInstanceOf(StoreException.class)
                .hasStackTraceContaining(DiskFault.EIO);

        assertThat(disk.struck()).isEqualTo(2);
        assertThat(housekeepers()).isEqualTo(before);
        assertThat(files.open()).isEmpty();
        open(disk).close();
    }

    /** Its name was changed when the force of the directory failed. */
    @Test
    void aFileThatWasNotMadeIsDeletedUnderTheNameThatItHas() throws Exception {
        try (ObjectStore store = open(disk)) {
            disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).failingWith(DiskFault.EIO));
            for (int i = 0; disk.struck() == 0; i++) {
                try {
                    store.write(key(i), new byte[1200], Durability.FORCED);
                } catch (StoreIoException toldToACallerThatWaitedForTheFile) {
                    assertThat(toldToACallerThatWaitedForTheFile).hasMessageContaining("nothing was written");
                }
            }
            for (int i = 0; i < 100; i++) {
                store.write(key(i), new byte[1200], Durability.FORCED);
            }
            assertThat(store.failure()).isEmpty();
            long made = disk.count(DiskOperation.RENAME, ArtemisHousekeepingTest::isUnfinished);
            assertThat(simulated.list(DIRECTORY).stream()
                            .filter(file -> file.toString().endsWith(ArtemisFormat.EXTENSION))
                            .count())
                    .isEqualTo(made - 1);
        }
    }

    /** The process has too many open files just when a new file has got its name. */
    @Test
    void aNewFileThatCannotBeOpenedForBatchesIsDeletedAndEachAttemptLeavesNone() throws Exception {
        try (ObjectStore store = open(disk)) {
            store.write(key(0), new byte[1200], Durability.FORCED);
            store.force();
            disk.inject(refusalOfHandles());
            int written = writeUntilRefused(store, 1);
            long files = journalFiles();
            for (int attempt = 0; attempt < 5; attempt++) {
                assertThat(writeUntilRefused(store, written)).isEqualTo(written);
                assertThat(journalFiles()).as("attempt=%d", attempt).isEqualTo(files);
            }

            disk.clearFaults();

            for (int i = 0; i < 100; i++) {
                store.write(key(i), new byte[1200], Durability.FORCED);
            }
            assertThat(store.failure()).isEmpty();
        }
    }

    /** A spare file that held batches once must not be deleted, because its header proves that those were given up. */
    @Test
    void aSpareFileThatCannotBeOpenedIsTriedAgainAndNotReplacedByANewOne() throws Exception {
        open(disk).close();
        try (ObjectStore store = open(disk)) {
            disk.inject(refusalOfHandles());
            int written = writeUntilRefused(store, 0);
            long files = journalFiles();
            for (int attempt = 0; attempt < 8; attempt++) {
                assertThat(writeUntilRefused(store, written)).isEqualTo(written);
                assertThat(journalFiles()).as("attempt=%d", attempt).isEqualTo(files);
            }

            disk.clearFaults();

            for (int i = 0; journalFiles() == files; i++) {
                store.write(key(i), new byte[1200], Durability.FORCED);
            }
            assertThat(store.failure()).isEmpty();
        }
        StoreInspection inspection = new ArtemisInspector(simulated).inspect(DIRECTORY);
        assertThat(inspection.files())
                .filteredOn(file -> file.role() == InspectedFile.Role.SPARE)
                .hasSizeLessThanOrEqualTo(SpareFiles.SPARES + 1); // a write leaves room in more than four
    }

    /** Blocks are larger than the header, and there is no handle to look at what lies between. */
    @Test
    void theOpenSpareIsUsedWhereNoHandleIsLeftAndBlocksAreLarge() {
        StoreConfiguration.Builder configuration = JournalStores.small(DIRECTORY, "artemis", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 192 * StoreOption.KIB)
                .set(StoreOption.JOURNAL_BLOCK_SIZE, 16 * StoreOption.KIB)
                .set(StoreOption.MAX_STATE_SIZE, 4 * StoreOption.KIB);
        try (ObjectStore store = JournalStores.open(configuration, disk)) {
            for (int i = 0; i < 14; i++) {
                store.write(key(i), new byte[100], Durability.FORCED);
            }
            disk.inject(DiskFault.in(DiskOperation.OPEN)
                    .onFiles(file -> ArtemisFormat.FILE_NAME
                            .matcher(file.getFileName().toString())
                            .matches())
                    .forEver()
                    .failingWith("Too many open files"));

            for (int i = 0; i < 11; i++) { // as many as a file has blocks: the next one is begun
                assertThat(store.remove(key(i), Durability.FORCED)).isTrue();
            }

            assertThat(store.failure()).isEmpty();
            disk.clearFaults();
        }
    }

    /**
     * Refuses a handle for batches on the housekeeper's thread. The handle with which a file is made is not refused.
     */
    private static DiskFault refusalOfHandles() {
        return DiskFault.in(DiskOperation.OPEN)
                .onFiles(file -> ArtemisFormat.FILE_NAME
                                .matcher(file.getFileName().toString())
                                .matches()
                        && Thread.currentThread() instanceof HousekeepingThread)
                .forEver()
                .failingWith("Too many open files");
    }

    private static int writeUntilRefused(ObjectStore store, int from) {
        for (int i = from; ; i++) {
            try {
                store.write(key(i), new byte[1200], Durability.FORCED);
            } catch (StoreIoException refused) {
                assertThat(refused).hasMessageContainingAll("nothing was written", "Too many open files");
                return i;
            }
        }
    }

    private long journalFiles() throws IOException {
        return simulated.list(DIRECTORY).stream()
                .filter(file -> file.toString().endsWith(ArtemisFormat.EXTENSION))
                .count();
    }

    private static void awaitWaiting(AtomicReference<Thread> caller) {
        while (caller.get() == null
                || caller.get().getState() != Thread.State.TIMED_WAITING
                || List.of(caller.get().getStackTrace()).stream()
                        .noneMatch(frame -> frame.getClassName().equals(RoomRequests.class.getName()))) {
            Thread.onSpinWait();
        }
    }

    private static List<Thread> housekeepers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread instanceof HousekeepingThread && thread.isAlive())
                .toList();
    }

    private static boolean isUnfinished(Path file) {
        return ArtemisFormat.UNFINISHED_NAME
                .matcher(file.getFileName().toString())
                .matches();
    }

    private static ObjectStore open(Disk on) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "artemis", "channel")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) FILE_BYTES)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                on);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }
}
