package io.tallystick.storage;

import io.tallystick.storage.Disk.PathKind;
import io.tallystick.store.spi.StoreThread;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks once in {@value #INTERVAL_MILLIS} ms whether a store still lies where it was opened.
 *
 * <p>A store writes into files that it has open, and they stay open whatever happens to their names. So a directory
 * that was removed, replaced or mounted over takes acknowledged changes that nobody finds again. The watch compares
 * what the names lead to with what they led to at the opening: the directory, its lock file, its owner file, its
 * identity file with its content, and each {@link UsedFile} since it was seen first. None may be gone, be another file
 * or be shorter.
 *
 * <p>It has a thread of its own, because a look at a dead mount does not return. Nobody waits for that thread for long:
 * where a look is under way, {@link #look} does nothing. A process that stood still may have lost its place to another
 * one meanwhile, so its writers wait for a look before they write or acknowledge: {@link #checkAfterStandstill}.
 *
 * <p>An inode's number comes again when nothing has the inode open, and some file systems of containers then give
 * another number to the same directory. So the watch keeps the directory and the identity file open, as the store keeps
 * its lock and its files.
 */
public final class PlaceWatch implements Closeable {
    /** How often it looks, milliseconds. */
    public static final int INTERVAL_MILLIS = 1_000;

    private static final System.Logger LOG = System.getLogger(PlaceWatch.class.getName());
    private static final int CLOSING_MILLIS = 1_000;
    private static final int MOST_IDENTITY_BYTES = 4_096;
    private static final int MOST_OWNER_BYTES = 4_096;
    private static final long SECOND_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int PROOF_SECONDS = 5;
    private static final int MOST_MARKINGS = 3;
    private static final long STANDSTILL_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * INTERVAL_MILLIS);
    private static final long STANDSTILL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long STANDSTILL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Disk disk;
    private final Path directory;
    private final UUID storeId;
    // The directory, the lock file and the identity file; empty for a disk that does not know files apart.
    private final Map<Path, PathIdentity> own = new LinkedHashMap<>();
    private final byte[] identity;
    private final Optional<byte[]> owner;
    private final List<DiskFile> kept = new ArrayList<>();

    private final ReentrantLock looking = new ReentrantLock();

    @GuardedBy("looking") private final Map<Path, PathIdentity> seen = new HashMap<>();

    @GuardedBy("looking") private boolean isTold;

    @GuardedBy("looking") private boolean isWarned;

    // Written once, under the lock.
    private volatile @Nullable String lostBecause;
    // PENDING under the lock, before the loss is known; then by the thread of the watch alone.
    private volatile LossMark.Outcome marking = LossMark.Outcome.NO_LOSS;
    // Whether the loss is one of data, so that no other proof is needed.
    @GuardedBy("looking") private boolean isDataLost;

    // Of the thread of the watch.
    private int markings;
    private boolean isMarkingOver;

    // Set by the opening, before callers of the store have this; null on a disk that does not know files apart.
    private @Nullable User user;
    private @Nullable Thread thread;
    private @Nullable EndingOwner ending; // null for an adopter, and where the owner file cannot be written

    // When the last look began that has ended, by any thread that looks. A time that is gone is no harm.
    private volatile long lastLookBegun = NanoClock.SYSTEM.nanoTime();
    // A writer has waited in vain for a look to end; until one ends, no other one waits.
    private volatile boolean isHanging;

    private volatile boolean isClosed;
    // The directory may have another owner from now on.
    private volatile boolean isGivenUp;

    /**
     * A difference to what was there at the opening.
     *
     * @param isOfData whether acknowledged data, or the store's identity, is missing
     */
    private record Wrong(String text, boolean isOfData) {}

    /** The store that is watched. */
    public interface User {
        /** The files that it relies on at this moment, or some of them, and others the next time. */
        Collection<UsedFile> filesInUse();

        /** Whether it has relied on this file since {@link #filesInUse} has named it. */
        boolean isStillUsed(UsedFile file);

        /** Hears once that the place is lost, on any thread that looks. */
        void placeIsLost(PlaceLostException loss);
    }

    /**
     * Notes what is there now. By the owner of the lock.
     *
     * @param directory as the user names it, absolute; links above it are followed at each look
     * @param storeId the store that is there
     */
    PlaceWatch(Disk disk, Path directory, UUID storeId) throws IOException {
        this.disk = disk;
        this.directory = directory;
        this.storeId = storeId;
        Path identityFile = directory.resolve(StoreIdentity.FILE_NAME);
        for (Path path : List.of(directory, directory.resolve(StoreDirectory.LOCK_FILE), identityFile)) {
            Optional<PathIdentity> found = disk.identityOf(path);
            if (found.isPresent()) {
                own.put(path, found.get());
            }
        }
        this.identity = own.isEmpty()
                ? new byte[0]
                : SmallFile.read(disk, identityFile, MOST_IDENTITY_BYTES).orElse(new byte[0]);
        this.owner = own.isEmpty() ? Optional.empty() : namedOwner();
    }

    /** The owner file as this process wrote it, on one line, for people. */
    private String ownerText() {
        return owner.map(bytes ->
                        new String(bytes, StandardCharsets.UTF_8).strip().replaceAll("\\s+", " "))
                .orElse(LossMark.UNKNOWN);
    }

    /** The content of the owner file, which each owner replaces; empty where it cannot be read: it is a note. */
    private Optional<byte[]> namedOwner() {
        try {
            return SmallFile.read(disk, directory.resolve(StoreDirectory.OWNER_FILE), MOST_OWNER_BYTES);
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * Looks at the files of this store too, now and once in {@value #INTERVAL_MILLIS} ms. Does nothing on a disk that
     * does not know files apart.
     *
     * @param threadName of the thread that looks
     */
    public void start(String threadName, User store) {
        if (own.isEmpty()) {
            return;
        }
        user = store;
        keepOpen(directory);
        keepOpen(directory.resolve(StoreIdentity.FILE_NAME));
        look();
        Thread started = StoreThread.of(this::run, threadName);
        started.start();
        thread = started;
        if (owner.isPresent() && !StoreDirectory.isAdopter(ownerText())) { // an adopter is asked to leave anyway
            ending = ending(owner.get());
        }
    }

    private @Nullable EndingOwner ending(byte[] written) {
        try {
            EndingOwner made = EndingOwner.of(disk, directory.resolve(StoreDirectory.OWNER_FILE), written);
            made.start();
            return made;
        } catch (IOException | UnsupportedOperationException untold) {
            // A start of this node is refused while this process ends, as one of each other owner.
            LOG.log(System.Logger.Level.DEBUG, "directory=" + directory + " will not say that its owner ends", untold);
            return null;
        }
    }

    private void keepOpen(Path path) {
        try {
            kept.add(disk.open(path, OpenMode.READ));
        } catch (IOException | UnsupportedOperationException notOnThisSystem) {
            // a system without inodes does not open directories
        }
    }

    private void run() {
        while (!isClosed) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(INTERVAL_MILLIS));
            Thread.interrupted(); // a set flag would end the next wait at once
            look();
            mark();
        }
        mark(); // a loss that was found while the store was closing
    }

    /** Looks at everything now, and tells the store if the place is lost. Throws nothing. */
    public void look() {
        User store = user;
        if (store == null || !begin()) {
            return;
        }
        try {
            if (lostBecause == null) {
                lookAtOwn();
            }
            if (lostBecause == null) {
                found(wrongWithUsed(store));
            }
            if (lostBecause != null && !isTold) {
                store.placeIsLost(loss());
                isTold = true; // last: if memory is missing for the words, the next look tells
                LockSupport.unpark(thread); // it marks the loss
            }
        } catch (IOException | RuntimeException | Error unanswered) {
            warn(unanswered);
        } finally {
            looking.unlock();
        }
    }

    /** The part of a look that needs no lock of the store. A failure is an answer, too. */
    @GuardedBy("looking") private void lookAtOwn() throws IOException {
        long begun = NanoClock.SYSTEM.nanoTime();
        try {
            found(wrongWithOwn());
        } finally {
            lastLookBegun = begun;
            isHanging = false;
        }
    }

    /**
     * For a thread that is about to write, or to acknowledge what it has written. Where no look has ended for two
     * intervals, this process stood still, or a look gets no answer. Then the thread waits for one that begins now,
     * half a second at most. It waits once for a look that gets no answer: a dead mount stops no writers.
     *
     * @throws PlaceLostException the place is lost
     */
    public void checkAfterStandstill() throws PlaceLostException {
        if (user == null) {
            return;
        }
        awaitAfterStandstill();
        if (lostBecause != null) {
            throw loss();
        }
    }

    private void awaitAfterStandstill() {
        if (isHanging || isClosed) {
            return;
        }
        long now = NanoClock.SYSTEM.nanoTime();
        if (now - lastLookBegun >= STANDSTILL_NANOS) {
            awaitLookFrom(now);
        }
    }

    private void awaitLookFrom(long now) {
        boolean isInterrupted = false;
        while (lastLookBegun - now < 0 && lostBecause == null && !isClosed && !isHanging) {
            if (NanoClock.SYSTEM.nanoTime() - now >= STANDSTILL_WAIT_NANOS) {
                isHanging = true;
            }
            LockSupport.unpark(thread);
            LockSupport.parkNanos(this, STANDSTILL_PAUSE_NANOS);
            isInterrupted |= Thread.interrupted(); // a set flag would end each pause at once
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Whether the place is known to be lost. Looks at the directory and the files that each store has, which takes
     * microseconds, and leaves it to the thread of the watch to tell the store: a caller that holds a lock of the store
     * cannot. Throws nothing.
     */
    public boolean isLost() {
        if (lostBecause == null && begin()) {
            try {
                lookAtOwn();
            } catch (IOException | RuntimeException | Error unanswered) {
                warn(unanswered);
            } finally {
                looking.unlock();
            }
            if (lostBecause != null) {
                LockSupport.unpark(thread);
            }
        } else if (lostBecause == null && user != null) { // another thread looks
            awaitAfterStandstill();
        }
        return lostBecause != null;
    }

    /**
     * Looks at the directory and the files that each store has, on this thread. A look that another thread has begun
     * may be older than what the caller wants to prove, so this waits for its end, a few seconds at most.
     *
     * @throws PlaceLostException the place is lost
     * @throws IOException it gives no answer
     */
    public void prove() throws IOException {
        if (user == null) {
            return; // a disk that does not know files apart
        }
        boolean isInterrupted = Thread.interrupted(); // an interrupt is no answer, and would end each wait at once
        try {
            isInterrupted |= lockWithin(PROOF_SECONDS);
            try {
                if (lostBecause == null) {
                    lookAtOwn();
                }
            } finally {
                looking.unlock();
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (lostBecause != null) {
            LockSupport.unpark(thread);
            throw loss();
        }
    }

    /** Returns whether the thread was interrupted meanwhile. */
    private boolean lockWithin(int seconds) throws IOException {
        boolean isInterrupted = false;
        while (true) {
            try {
                if (looking.tryLock(seconds, TimeUnit.SECONDS)) {
                    return isInterrupted;
                }
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
                throw new IOException("a look at directory=" + directory + " takes longer than " + seconds + " s");
            } catch (InterruptedException goesOn) {
                isInterrupted = true;
            }
        }
    }

    /** Takes the lock, unless another thread looks, or this one does and its logger asks for the health. */
    private boolean begin() {
        return user != null && !isClosed && !looking.isHeldByCurrentThread() && looking.tryLock();
    }

    @GuardedBy("looking") private void found(@Nullable Wrong wrongOrNull) {
        if (wrongOrNull != null && !isClosed) { // what is closed may be deleted
            isDataLost = wrongOrNull.isOfData();
            marking = LossMark.Outcome.PENDING;
            lostBecause = wrongOrNull.text();
        }
    }

    /**
     * What became of the mark of a loss. The thread of the watch marks it, right after the store has been told. Asks
     * nothing, so it does not wait.
     */
    public LossMark.Outcome marking() {
        return marking;
    }

    /**
     * Marks a loss in the directory, where it is one of data. On the thread of the watch only. Throws nothing. The
     * first look may be too early: files are still being deleted, or the disk has an error for a moment. So it looks
     * again.
     */
    private void mark() {
        if (lostBecause == null || isMarkingOver || !isToldNow()) {
            return;
        }
        markings++;
        boolean isLast = markings == MOST_MARKINGS || isClosed;
        LossMark.Outcome outcome = isLast ? LossMark.Outcome.IMPOSSIBLE : LossMark.Outcome.PENDING;
        try {
            outcome = markNow();
        } catch (IOException | RuntimeException | Error failed) {
            if (isLast) {
                tellUnmarked(String.valueOf(failed));
            }
        } finally {
            isMarkingOver |= isLast || outcome == LossMark.Outcome.MARKED || outcome == LossMark.Outcome.IMPOSSIBLE;
            marking = outcome;
        }
    }

    private boolean isToldNow() {
        looking.lock();
        try {
            return isTold;
        } finally {
            looking.unlock();
        }
    }

    private LossMark.Outcome markNow() throws IOException {
        // Before and after the look at the data: something may be mounted there for a moment.
        String missing = isSameDirectory() ? missingData() : null;
        if (!isSameDirectory()) {
            tellUnmarked("the directory there is not the store's any more");
            return LossMark.Outcome.IMPOSSIBLE;
        }
        // After the look at the data: a new owner names itself before it removes any.
        if (isTakenByAnother()) {
            return ofTaken(missing);
        }
        if (missing == null) {
            return LossMark.Outcome.NOT_NEEDED;
        }
        if (isGivenUp) {
            tellUnmarked("the store was closed meanwhile");
            return LossMark.Outcome.IMPOSSIBLE;
        }
        LossMark.write(disk, directory, storeId, Instant.now(), missing, ownerText());
        if (!isSameDirectory()) {
            tellUnmarked("the directory was taken away while the mark was written");
            return LossMark.Outcome.IMPOSSIBLE;
        }
        tell("TALLY0107 the loss is marked in file=" + directory.resolve(LossMark.FILE_NAME)
                + ": no process opens the store until a person runs 'tallystick accept-loss'");
        return LossMark.Outcome.MARKED;
    }

    /** Another owner has the data, unless it has made a store of its own. */
    private LossMark.Outcome ofTaken(@Nullable String missing) throws IOException {
        isMarkingOver = true;
        if (missing == null || !isAnotherStoreThere()) {
            return LossMark.Outcome.NOT_NEEDED;
        }
        tellUnmarked("another owner has made another store there, and " + missing);
        return LossMark.Outcome.IMPOSSIBLE;
    }

    /** Without an identity, the new owner may be exchanging the files. */
    private boolean isAnotherStoreThere() throws IOException {
        try {
            return StoreIdentity.read(disk, directory)
                    .filter(there -> !there.id().equals(storeId))
                    .isPresent();
        } catch (StoreDirectoryException damaged) {
            return false;
        }
    }

    /** The data that is missing, also where something else was found first; null if none is. */
    private @Nullable String missingData() throws IOException {
        looking.lock();
        try {
            if (isDataLost) {
                return lostBecause;
            }
            Wrong wrong = wrongWithIdentity();
            if (wrong == null) {
                wrong = wrongWithUsed(Objects.requireNonNull(user, "the thread of the watch has no store"));
            }
            return wrong == null ? null : wrong.text();
        } finally {
            looking.unlock();
        }
    }

    /**
     * Whether the path leads to the directory that the store has taken. A system without keys of files cannot tell two
     * directories apart; there the identity file must name the store.
     */
    private boolean isSameDirectory() throws IOException {
        PathIdentity before = own.get(directory);
        if (before == null || !before.isSameFile(identityOf(directory))) {
            return false;
        }
        return !before.key().isEmpty()
                || Arrays.equals(
                        identity,
                        SmallFile.read(disk, directory.resolve(StoreIdentity.FILE_NAME), MOST_IDENTITY_BYTES)
                                .orElse(null));
    }

    private void tellUnmarked(String why) {
        tell("TALLY0112 the loss cannot be marked in directory=" + directory + ": " + why
                + "; the next process opens what is there without a question. Keep it from starting until you"
                + " know what is missing");
    }

    /** Logs. Throws nothing. */
    private static void tell(String message) {
        try {
            LOG.log(System.Logger.Level.WARNING, message);
        } catch (RuntimeException | Error untold) { // such as missing memory
        }
    }

    /** Whether the lock file is still the one that was locked. */
    boolean hasLockFile() throws IOException {
        Path file = directory.resolve(StoreDirectory.LOCK_FILE);
        PathIdentity before = own.get(file);
        return before == null
                ? disk.kindOf(file) == PathKind.FILE
                : before.isSameFile(disk.identityOf(file).orElse(PathIdentity.MISSING));
    }

    private PlaceLostException loss() {
        return new PlaceLostException("TALLY0105 the place of the store is lost, directory=" + directory + ": "
                + lostBecause + "; the store acknowledges nothing more. What it acknowledged in the seconds before may"
                + " lie in the directory or file that was there: keep that, bring it back to directory=" + directory
                + " while no process has the store, and start again. See TALLY0105 in docs/troubleshooting.md");
    }

    /** Warns once. Throws nothing: the next look may get an answer. */
    @GuardedBy("looking") private void warn(Throwable unanswered) {
        if (isWarned || isClosed) {
            return;
        }
        isWarned = true;
        try {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0106 directory=" + directory + " cannot be looked at: " + unanswered
                            + "; until that is mended, the store does not notice if its directory is removed or"
                            + " replaced. Check the permissions of the directories above it, and the disk",
                    unanswered);
        } catch (RuntimeException | Error untold) { // such as missing memory
        }
    }

    /**
     * What is wrong with the directory or a file that each store has; null if nothing is. A link is changed in two
     * steps, so a second look must find the same.
     */
    private @Nullable Wrong wrongWithOwn() throws IOException {
        Wrong wrong = wrongWithOwnNow();
        if (wrong == null) {
            return null;
        }
        long begun = NanoClock.SYSTEM.nanoTime();
        long left = SECOND_LOOK_NANOS;
        while (left > 0) { // a permit that is left over, or an interrupt, ends a wait at once
            LockSupport.parkNanos(this, left);
            left = SECOND_LOOK_NANOS - (NanoClock.SYSTEM.nanoTime() - begun);
        }
        return wrongWithOwnNow();
    }

    private @Nullable Wrong wrongWithOwnNow() throws IOException {
        for (Map.Entry<Path, PathIdentity> each : own.entrySet()) {
            Path path = each.getKey();
            String wrong = difference(path, each.getValue(), identityOf(path));
            if (wrong != null) {
                return new Wrong(wrong, path.endsWith(StoreIdentity.FILE_NAME));
            }
        }
        return takenByAnother()
                .map(another -> new Wrong(takenBy(another), false))
                .orElse(null);
    }

    private boolean isTakenByAnother() {
        return takenByAnother().isPresent();
    }

    private Optional<byte[]> takenByAnother() {
        return namedOwner().filter(now -> owner.isEmpty() || !isOwn(now, owner.get()));
    }

    /** As it was written, and with what this owner adds when it ends. */
    private static boolean isOwn(byte[] now, byte[] owner) {
        return now.length >= owner.length && Arrays.equals(now, 0, owner.length, owner, 0, owner.length);
    }

    /** The system may have given the lock up without this process: closing any descriptor of the file does it. */
    private String takenBy(byte[] another) {
        String text = new String(another, StandardCharsets.UTF_8).replaceAll("[^\\x21-\\x7e]+", " ");
        return "file=" + directory.resolve(StoreDirectory.OWNER_FILE) + " names another owner, which has taken the"
                + " directory: " + text.trim();
    }

    private PathIdentity identityOf(Path path) throws IOException {
        return disk.identityOf(path).orElse(PathIdentity.MISSING);
    }

    /** What is wrong with the identity file itself; null if nothing is. */
    private @Nullable Wrong wrongWithIdentity() throws IOException {
        Path file = directory.resolve(StoreIdentity.FILE_NAME);
        String wrong = difference(file, own.getOrDefault(file, PathIdentity.MISSING), identityOf(file));
        return wrong == null ? null : new Wrong(wrong, true);
    }

    /** What is wrong with the content of the identity file, or with a file in use; null if nothing is. */
    @GuardedBy("looking") private @Nullable Wrong wrongWithUsed(User store) throws IOException {
        Collection<UsedFile> used = store.filesInUse();
        seen.keySet().retainAll(used.stream().map(UsedFile::path).collect(Collectors.toSet()));
        for (UsedFile file : used) {
            String wrong = wrongWith(file);
            // It may have been given up, and deleted, meanwhile.
            if (wrong != null && store.isStillUsed(file)) {
                return new Wrong(wrong, true);
            }
        }
        Path file = directory.resolve(StoreIdentity.FILE_NAME);
        boolean isSame = identityOf(file).bytes() == identity.length
                && Arrays.equals(
                        identity, SmallFile.read(disk, file, identity.length).orElse(null));
        return isSame ? null : new Wrong("file=" + file + " was overwritten: it names another store, or none", true);
    }

    @GuardedBy("looking") private @Nullable String wrongWith(UsedFile file) throws IOException {
        Path path = file.path();
        PathIdentity now = identityOf(path);
        if (now.kind() == PathKind.MISSING) {
            return "file=" + path + " is gone";
        }
        if (file.isKeptOpen()) {
            PathIdentity before = seen.putIfAbsent(path, now);
            String wrong = before == null ? null : difference(path, before, now);
            if (wrong != null) {
                return wrong;
            }
        }
        if (now.bytes() < file.leastBytes()) {
            return "file=" + path + " was cut to " + now.bytes() + " bytes, from " + file.leastBytes();
        }
        return file.beginning().hasRemaining() ? wrongWithBeginning(path, file.beginning()) : null;
    }

    private @Nullable String wrongWithBeginning(Path path, ByteBuffer beginning) throws IOException {
        try {
            return SmallFile.beginsWith(disk, path, beginning)
                    ? null
                    : "file=" + path + " was overwritten: it begins with other bytes";
        } catch (NoSuchFileException goneMeanwhile) {
            return "file=" + path + " is gone";
        }
    }

    private @Nullable String difference(Path path, PathIdentity before, PathIdentity now) {
        String name = (path.equals(directory) ? "directory=" : "file=") + path;
        if (now.kind() == PathKind.MISSING) {
            return name + " is gone";
        }
        if (now.kind() != before.kind()) {
            return name + " is a " + now.kind() + " now";
        }
        return before.isSameFile(now)
                ? null
                : name + " is another one now: it was " + before.key() + ", it is " + now.key()
                        + ". It was replaced, or something was mounted or unmounted there";
    }

    /** Ends the thread; waits a second for a look that is under way. */
    @Override
    public void close() throws IOException {
        isClosed = true;
        Thread running = thread;
        if (running != null && running != Thread.currentThread()) {
            LockSupport.unpark(running);
            join(running);
        }
        isGivenUp = true;
        IOException failed = null;
        if (ending != null) {
            try {
                ending.close();
            } catch (IOException trouble) {
                failed = trouble;
            }
        }
        for (DiskFile file : kept) {
            try {
                file.close();
            } catch (IOException trouble) {
                failed = trouble;
            }
        }
        kept.clear();
        if (failed != null) {
            throw failed;
        }
    }

    private static void join(Thread running) {
        boolean isInterrupted = Thread.interrupted(); // otherwise nobody waits for the mark of a loss
        try {
            running.join(CLOSING_MILLIS);
        } catch (InterruptedException hasNoTime) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
