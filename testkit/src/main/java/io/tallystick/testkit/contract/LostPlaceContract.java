package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.LossMark;
import io.tallystick.storage.PlaceWatch;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a store does when its directory or its files are taken away: it notices, and acknowledges nothing more.
 * Tests of stores in directories extend this class.
 */
public abstract class LostPlaceContract {
    private static final String MARKED_LOSS =
            StoreIoException.ofMarkedLoss("", null).messageId();
    private static final String LOST = "the place of the store is lost";
    private static final int PATIENCE_SECONDS = 30;
    private static final int STATE_BYTES = 500;

    @TempDir
    private Path parent;

    private final Logger logger;
    private Level usualLevel;

    private Path directory;
    private ObjectStore store;
    private final ConcurrentLinkedQueue<LogRecord> logged = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            logged.add(entry);
        }

        @Override
        public void flush() {
            // nothing is kept back
        }

        @Override
        public void close() {
            // nothing is open
        }
    };

    /**
     * For subclasses.
     *
     * @param logger the name of a logger that gets the failures of the store
     */
    protected LostPlaceContract(String logger) {
        this.logger = Logger.getLogger(logger);
    }

    /** Opens a store in the directory that makes files often. */
    protected abstract ObjectStore open(Path in);

    /** A file that the store needs and that no change of other keys touches. */
    protected abstract Path fileInUse(Path in) throws IOException;

    @BeforeEach
    final void openStore() {
        directory = parent.resolve("store");
        logger.addHandler(handler);
        usualLevel = logger.getLevel();
        logger.setLevel(Level.INFO);
        store = open(directory);
        write(1);
    }

    @AfterEach
    final void closeStore() {
        logger.removeHandler(handler);
        logger.setLevel(usualLevel);
        close();
    }

    @Test
    protected void aRemovedDirectoryEndsTheStore() throws IOException {
        deleteAll(directory);

        assertLost("directory=" + directory + " is gone");
    }

    @Test
    protected void aDirectoryThatWasMovedAwayEndsTheStore() throws IOException {
        Files.move(directory, parent.resolve("elsewhere"));

        assertLost("directory=" + directory + " is gone");
    }

    @Test
    protected void aCopyInThePlaceOfTheDirectoryEndsTheStore() throws IOException {
        Path away = parent.resolve("elsewhere");
        Files.move(directory, away);
        copyAll(away, directory);

        assertLost("directory=" + directory + " is another one now");
    }

    @Test
    protected void aLinkInThePlaceOfTheDirectoryEndsTheStore() throws IOException {
        Path away = parent.resolve("elsewhere");
        Files.move(directory, away);
        Files.createSymbolicLink(directory, away);

        assertLost("directory=" + directory + " is a LINK now");
    }

    @Test
    protected void aLinkAboveTheDirectoryThatLeadsElsewhereEndsTheStore() throws IOException {
        Path link = parent.resolve("link");
        Path named = link.resolve("store");
        Path copies = Files.createDirectory(parent.resolve("copies"));
        Files.createSymbolicLink(link, parent);
        store.close();
        store = open(named);
        write(1);
        copyAll(directory, copies.resolve("store"));
        Files.delete(link);
        Files.createSymbolicLink(link, copies);

        assertLost("directory=" + named + " is another one now");
    }

    @Test
    protected void aRemovedLockFileEndsTheStore() throws IOException {
        Files.delete(directory.resolve("tallystick.lock"));

        assertLost("tallystick.lock is gone");
    }

    @Test
    protected void aStoreThatIsLostSaysOfNothingThatItIsNotThere() throws IOException {
        Files.delete(directory.resolve("tallystick.lock"));

        assertThatThrownBy(store::proveOwned)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("tallystick.lock is gone");
        assertLost("tallystick.lock is gone");
        assertThatThrownBy(store::proveOwned).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> store.statusOf(key(3))).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> store.read(key(3))).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> store.readShadow(key(1))).isInstanceOf(StoreFailedException.class);
        assertThat(store.statusOf(key(1))).isEqualTo(StateStatus.COMMITTED);
        assertThat(store.read(key(1))).isPresent();
    }

    @Test
    protected void aStoreThatLiesWhereItWasOpenedProvesThat() {
        store.proveOwned();

        assertThat(store.types()).containsExactly("/T");
        assertThat(store.statusOf(key(3))).isEqualTo(StateStatus.ABSENT);
    }

    @Test
    protected void aReplacedLockFileEndsTheStore() throws IOException {
        Path lock = directory.resolve("tallystick.lock");
        Files.delete(lock);
        Files.createFile(lock);

        assertLost("tallystick.lock is another one now");
        assertThat(store.health().lockHeld()).isFalse();
    }

    /** As when the system has given the lock up, and another process has taken it. */
    @Test
    protected void anotherOwnerOfTheDirectoryEndsTheStore() throws IOException {
        Files.writeString(directory.resolve("tallystick.owner"), "pid=1\nhost=another\n");

        assertLost("names another owner, which has taken the directory: pid=1 host=another");
    }

    @Test
    protected void aRemovedOwnerFileIsNoLoss() throws IOException {
        Files.delete(directory.resolve("tallystick.owner"));
        store.health();
        store.proveOwned();

        assertThat(store.failure()).isEmpty();
    }

    @Test
    protected void aRemovedIdentityEndsTheStore() throws IOException {
        Files.delete(directory.resolve("tallystick.store"));

        assertLost("tallystick.store is gone");
    }

    @Test
    protected void anIdentityThatWasOverwrittenInPlaceEndsTheStore() throws IOException {
        overwrite(directory.resolve("tallystick.store"), 40);

        assertLost("tallystick.store was overwritten");
    }

    @Test
    protected void aRemovedFileThatIsInUseEndsTheStore() throws IOException {
        Path file = fileInUse(directory);
        awaitLook();
        Files.delete(file);

        assertLost(file + " is gone");
    }

    @Test
    protected void aFileInUseThatWasCutEndsTheStore() throws IOException {
        Path file = fileInUse(directory);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(100);
        }

        assertLost(file + " was cut to "); // a mark may have been written behind the cut
    }

    @Test
    protected void healthLooksAtOnce() throws IOException {
        Files.delete(directory.resolve("tallystick.lock"));

        StoreHealth health = store.health();

        assertThat(health.state()).isEqualTo(StoreHealth.State.FAILED);
        assertThat(health.isServing()).isFalse();
        assertThat(health).asString().contains(LOST, "tallystick.lock is gone");
        assertLost("tallystick.lock is gone");
    }

    /** Files come and go by the store's own hand: the watch must not take that for a loss. */
    @Test
    protected void aStoreThatMakesAndGivesUpFilesAllTheTimeStaysSound() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
        for (int round = 0; System.nanoTime() < end; round++) {
            for (int i = 2; i < 300; i++) {
                store.write(key(i), new byte[STATE_BYTES], Durability.DEFERRED);
            }
            store.force();
            store.health();
            for (int i = 2; i < 300; i++) {
                store.remove(key(i), round % 2 == 0 ? Durability.DEFERRED : Durability.FORCED);
            }
            store.health();
        }

        assertThat(store.failure()).isEmpty();
        assertThat(logged).noneMatch(entry -> entry.getMessage().contains("TALLY01"));
    }

    @Test
    protected void aClosedStoreIsNotLost() throws IOException {
        store.close();
        deleteAll(directory);
        store.health();

        assertThat(logged).noneMatch(entry -> entry.getMessage().contains(LOST));
    }

    @Test
    protected void aRemovedFileIsMarkedAndNoProcessOpensTheStoreBeforeAPersonAcceptsThat() throws IOException {
        Path file = fileInUse(directory);
        awaitLook();
        Files.delete(file);

        assertLost(file + " is gone");

        assertRefusedUntilAccepted(file + " is gone");
    }

    @Test
    protected void aCutFileIsMarkedAlsoWhereItIsMendedLater() throws IOException {
        Path file = fileInUse(directory);
        byte[] whole = Files.readAllBytes(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(100);
        }
        assertLost(file + " was cut to ");
        close();
        Files.write(file, whole);

        assertRefusedUntilAccepted(file + " was cut to ");
        store = open(directory);
        assertThat(store.read(key(1)))
                .hasValueSatisfying(state -> assertThat(state).hasSize(STATE_BYTES));
    }

    @Test
    protected void aRemovedIdentityIsMarked() throws IOException {
        Files.delete(directory.resolve("tallystick.store"));

        assertLost("tallystick.store is gone");

        assertRefusedUntilAccepted("tallystick.store is gone");
    }

    @Test
    protected void aDirectoryThatWasEmptiedWithItsLockIsMarked() throws IOException {
        for (Path path : below(directory)) {
            if (!path.equals(directory)) {
                Files.delete(path);
            }
        }

        awaitMarking(LossMarking.MARKED);

        assertRefusedUntilAccepted(" is gone");
    }

    @Test
    protected void aRemovedLockFileLosesNoDataAndIsNotMarked() throws IOException {
        Files.delete(directory.resolve("tallystick.lock"));

        assertLost("tallystick.lock is gone");

        assertNotMarked(LossMarking.NOT_NEEDED);
    }

    @Test
    protected void dataThatIsDeletedAfterTheLockIsMarkedToo() throws IOException {
        Path file = fileInUse(directory);
        awaitLook();
        Files.delete(directory.resolve("tallystick.lock"));
        awaitMarking(LossMarking.NOT_NEEDED);

        Files.delete(file);

        awaitMarking(LossMarking.MARKED);
        assertRefusedUntilAccepted(file + " is gone");
    }

    @Test
    protected void anotherStoreInAnEmptiedDirectoryDoesNotHaveTheData() throws IOException {
        Path other = parent.resolve("other");
        open(other).close();
        List<Path> made = below(other);
        awaitLook();
        for (Path path : below(directory)) {
            if (!path.equals(directory)) {
                Files.delete(path);
            }
        }
        for (Path path : made) {
            if (path.getParent().equals(other)) {
                Files.move(path, directory.resolve(path.getFileName()));
            }
        }

        assertNotMarked(LossMarking.IMPOSSIBLE);
    }

    @Test
    protected void aDirectoryThatAnotherOwnerHasIsNotMarked() throws IOException {
        Files.delete(directory.resolve("tallystick.store"));
        Files.writeString(directory.resolve("tallystick.owner"), "pid=1\nhost=another\n");

        assertLost("tallystick.store is gone");

        assertNotMarked(LossMarking.NOT_NEEDED);
    }

    @Test
    protected void aCopyInThePlaceOfTheDirectoryIsNotMarked() throws IOException {
        Path away = parent.resolve("elsewhere");
        Files.move(directory, away);
        copyAll(away, directory);
        Files.delete(fileInUse(directory));

        assertLost("directory=" + directory + " is another one now");

        assertNotMarked(LossMarking.IMPOSSIBLE);
        assertThat(away.resolve(LossMark.FILE_NAME)).doesNotExist();
    }

    @Test
    protected void aMarkThatCannotBeFinishedCountsNevertheless() throws IOException {
        Files.createDirectory(directory.resolve(LossMark.FILE_NAME + ".tmp"));
        Files.createFile(directory.resolve(LossMark.FILE_NAME + ".tmp").resolve("in the way"));
        Path file = fileInUse(directory);
        awaitLook();
        Files.delete(file);

        assertLost(file + " is gone");

        awaitMarking(LossMarking.MARKED); // what is in the way of the mark has its name, and counts
        close();
        assertRefused("the process that noticed it could not finish");
    }

    private void assertRefusedUntilAccepted(String missing) throws IOException {
        awaitMarking(LossMarking.MARKED);
        close();
        for (int opening = 1; opening <= 10; opening++) {
            assertRefused(missing);
        }
        SystemDisk disk = new SystemDisk();
        LossMark mark = LossMark.find(disk, directory).orElseThrow();
        assertThat(mark.owner()).contains("pid=" + ProcessHandle.current().pid());
        LossMark.accept(disk, directory, mark, "a test", "tester", Instant.EPOCH);
        assertThat(directory.resolve(LossMark.ACCEPTED_FILE_NAME)).content().contains(missing, "reason=a test");
        try {
            open(directory).close();
        } catch (StoreException damaged) { // what is missing may be needed
            assertThat(damaged.messageId()).isNotEqualTo(MARKED_LOSS);
        }
    }

    private void assertRefused(String missing) {
        assertThatThrownBy(() -> open(directory))
                .isInstanceOfSatisfying(StoreIoException.class, refused -> assertThat(refused.messageId())
                        .isEqualTo(MARKED_LOSS))
                .hasMessageContaining(missing)
                .hasMessageContaining("accept-loss");
    }

    private void assertNotMarked(LossMarking expected) throws IOException {
        awaitMarking(expected);
        assertThat(directory.resolve(LossMark.FILE_NAME)).doesNotExist();
        assertThat(directory.resolve(LossMark.FILE_NAME + ".tmp")).doesNotExist();
    }

    private void awaitMarking(LossMarking expected) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        LossMarking marking = store.lossMarking();
        while (marking != expected && System.nanoTime() < end) { // the first verdict may be too early
            sleep(10);
            marking = store.lossMarking();
        }
        assertThat(marking).isEqualTo(expected);
    }

    private void close() {
        try {
            store.close();
        } catch (StoreException lost) {
            assertThat(lost).hasMessageContaining(LOST);
        }
    }

    private void assertLost(String reason) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (store.failure().isEmpty()) {
            assertThat(System.nanoTime()).as("the loss was not noticed").isLessThan(end);
            sleep(10);
        }
        assertThatThrownBy(() -> write(2))
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining(LOST)
                .hasMessageContaining(reason);
        assertThat(store.health().isServing()).isFalse();
        awaitLogged(end);
        // A file that the store makes while its directory is gone may fail first, with a line of its own.
        assertThat(logged.stream().filter(LostPlaceContract::isLoss).map(LogRecord::getMessage))
                .singleElement()
                .asString()
                .startsWith("TALLY")
                .contains(reason);
    }

    /** The store fails first, so that it acknowledges nothing more, and logs then. */
    private void awaitLogged(long end) {
        while (logged.stream().noneMatch(LostPlaceContract::isLoss) && System.nanoTime() < end) {
            sleep(10);
        }
    }

    private static boolean isLoss(LogRecord entry) {
        return entry.getLevel() == Level.SEVERE && entry.getMessage().contains(LOST);
    }

    /** Until the watch has seen each file that is in use now. */
    private static void awaitLook() {
        sleep(5 * PlaceWatch.INTERVAL_MILLIS / 2); // not beside the next one
    }

    private static void sleep(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private void write(int number) {
        store.write(key(number), new byte[STATE_BYTES], Durability.FORCED);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    private static void overwrite(Path file, long position) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'x', 'y', 'z'}), position);
        }
    }

    private static void deleteAll(Path root) throws IOException {
        for (Path path : below(root)) {
            Files.delete(path);
        }
    }

    private static List<Path> below(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            return paths.sorted(Comparator.reverseOrder()).toList();
        }
    }

    private static void copyAll(Path source, Path target) throws IOException {
        try (Stream<Path> paths = Files.walk(source)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Files.copy(path, target.resolve(source.relativize(path).toString()));
            }
        }
    }
}
