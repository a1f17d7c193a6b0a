package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.stage.CombinedConditions.Age;
import io.tallystick.durability.stage.CombinedConditions.Block;
import io.tallystick.durability.stage.CombinedConditions.Cache;
import io.tallystick.durability.stage.CombinedConditions.End;
import io.tallystick.durability.stage.CombinedConditions.Gap;
import io.tallystick.durability.stage.CombinedConditions.LongestState;
import io.tallystick.durability.stage.CombinedConditions.Node;
import io.tallystick.durability.stage.CombinedConditions.Opening;
import io.tallystick.durability.stage.CombinedConditions.Room;
import io.tallystick.durability.stage.CombinedConditions.Segments;
import io.tallystick.durability.stage.CombinedConditions.Size;
import io.tallystick.durability.stage.CombinedConditions.Way;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.text.SizeText;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.States;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Three lives of a store on a simulated disk under combined conditions, judged by an oracle. For one run. */
final class CombinedLives {
    private static final Path ROOT = Path.of("/");
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long SMALL = 64 * StoreOption.KIB;
    private static final long LARGE = 128 * StoreOption.KIB;
    private static final int SEGMENTS = 4;
    private static final int MORE_SEGMENTS = 7;
    private static final long FINER_BLOCK = 512;
    private static final long COARSER_BLOCK = 16 * StoreOption.KIB;
    private static final StateKey LONGEST = StateKey.of("/Pairwise/Longest", ObjectId.of(new byte[] {1}));
    private static final Pattern LEAST_SEGMENTS =
            Pattern.compile("at least tallystick\\.journal\\.segment-size=(\\S+)");
    private static final long EVER = Long.MAX_VALUE / 2;
    private static final int STEPS = 20;
    private static final int ROUNDS = 40;
    private static final int FILLING_WRITES = 400;
    private static final int STATE_BYTES = 6_000;
    private static final int ROOM_STEP_BYTES = 32 * 1024;
    private static final int MAX_ROOM_STEPS = 40;
    // About as many as an opening makes after the segment size was changed.
    private static final int OPENING_OPERATIONS = 40;
    private static final long PRIME = 1_000_003;

    private final ConfiguredSubject subject;
    private final CombinedConditions row;
    private final long seed;
    private final Oracle oracle = new Oracle();
    private SimulatedDisk simulated = new SimulatedDisk();
    private long segmentBytesAfterwards;
    private int nextKey;
    private long refusedWrites;
    private long refusedOpenings;
    private long refusedRemovals;

    CombinedLives(ConfiguredSubject subject, CombinedConditions row, long seed) {
        this.subject = subject;
        this.row = row;
        this.seed = seed;
        this.segmentBytesAfterwards = row.size() == Size.LARGER ? LARGE : SMALL;
    }

    Counts run() throws IOException, InterruptedException {
        firstLife();
        if (row.node() == Node.ANOTHER_TRIES_FIRST) {
            checkAnotherNodeIsRefused();
        }
        secondLife();
        lastLife();
        return Counts.of("rows", 1)
                .and("refused writes", refusedWrites)
                .and("refused openings", refusedOpenings)
                .and("refused removals", refusedRemovals);
    }

    private void firstLife() throws IOException, InterruptedException {
        FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
        ObjectStore store = subject.open(disk, firstConfiguration());
        ObjectStore watched = oracle.watch(store);
        if (row.longestState() != LongestState.USUAL) {
            watched.write(LONGEST, States.random(longestStateBytes(), seed), Durability.FORCED);
        }
        StoreWorkload.history(seed, STEPS).run(watched);
        if (row.age() == Age.TURNED_OVER) {
            StoreWorkload.churn(seed, ROUNDS).run(watched);
        }
        if (row.room() == Room.FULL_IN_FIRST_LIFE) {
            simulated.setCapacity(usedBytes() + STATE_BYTES);
            fill(watched);
        } else if (row.room() == Room.QUOTA_USED_UP) {
            simulated.setQuota(usedBytes() + STATE_BYTES, files().size() + 8L);
            fill(watched);
        }
        if (isCacheStale()) {
            simulated.delayPageCache(Integer.MAX_VALUE);
            watched.write(key(nextKey++), States.random(100, seed), Durability.FORCED);
        }
        DiskFault.Stall stall = new DiskFault.Stall();
        Thread stalled = row.gap() == Gap.NONE ? null : writeInFlight(disk, watched, stall);
        SimulatedDisk next =
                switch (row.end()) {
                    case CLOSED -> simulated;
                    case CRASHED -> simulated.crash(seed);
                    case KILLED -> simulated.kill();
                };
        stall.release();
        if (stalled != null) {
            stalled.join();
        }
        end(watched);
        simulated = next;
    }

    /** The Artemis engine does not compare the page cache with the disk. A full store writes nothing any more. */
    private boolean isCacheStale() {
        return row.cache() == Cache.MISSES_A_WRITE
                && row.end() == End.KILLED
                && hasRoomInFirstLife()
                && row.way() == Way.SAME // only a life that goes past the page cache can compare it with the disk
                && isSegmented()
                && subject.name().endsWith("-direct");
    }

    private boolean hasRoomInFirstLife() {
        return row.room() == Room.AMPLE || row.room() == Room.FULL_AT_OPENING;
    }

    private void end(ObjectStore watched) {
        try {
            watched.close();
        } catch (StoreException dead) {
            if (row.end() == End.CLOSED) {
                throw dead;
            }
        }
    }

    /** Writes until the store says that the disk is full. Then removals must work. */
    private void fill(ObjectStore store) {
        int first = nextKey;
        boolean isFull = false;
        while (!isFull && nextKey < first + FILLING_WRITES) {
            isFull = !isWritten(store, nextKey++);
        }
        if (!isFull) {
            throw new AssertionError("I13 space violated: " + FILLING_WRITES + " writes fit into no room");
        }
        mustWork("remove, forced,", () -> store.remove(key(first), Durability.FORCED));
        mustWork("remove, deferred,", () -> store.remove(key(first + 1), Durability.DEFERRED));
    }

    private boolean isWritten(ObjectStore store, int number) {
        try {
            store.write(key(number), States.random(STATE_BYTES, seed + number), Durability.FORCED);
            return true;
        } catch (StoreFullException full) {
            refusedWrites++;
            return false;
        } catch (StoreException other) {
            throw new AssertionError("I13 space violated: a write without room threw " + other, other);
        }
    }

    private static void mustWork(String what, Runnable operation) {
        try {
            operation.run();
        } catch (StoreException refused) {
            throw new AssertionError("I13 space violated: " + what + " threw " + refused, refused);
        }
    }

    /** Begins a removal whose write does not end before the stall does; others are acknowledged meanwhile. */
    private Thread writeInFlight(FaultInjectingDisk disk, ObjectStore store, DiskFault.Stall stall) {
        boolean hasOthers = subject.name().equals("journal-segmented-direct");
        StateKey before = key(nextKey++);
        StateKey inFlight = key(nextKey++);
        if (hasRoomInFirstLife()) {
            store.write(before, States.random(100, seed), Durability.FORCED);
            store.write(inFlight, States.random(100, seed), Durability.FORCED);
        }
        // What is deferred goes to disk first, so that the next write is that of the thread.
        store.force();
        disk.inject(DiskFault.in(operationInFlight()).stallingAt(stall));
        Thread thread = new Thread(
                () -> {
                    try {
                        store.remove(inFlight, Durability.FORCED);
                    } catch (StoreException died) {
                        // the oracle has recorded it
                    }
                },
                "in-flight");
        thread.setDaemon(true);
        thread.start();
        if (hasRoomInFirstLife()) { // otherwise the key was never written, and its removal may reach no disk
            stall.awaitReached();
            if (hasOthers) {
                store.remove(before, Durability.FORCED);
            }
        }
        return thread;
    }

    /** The file store changes names alone when it removes. */
    private DiskOperation operationInFlight() {
        return subject.name().equals("file") ? DiskOperation.FORCE_DIRECTORY : DiskOperation.WRITE;
    }

    private void checkAnotherNodeIsRefused() throws IOException {
        Map<Path, Integer> before = files();
        ObjectStore opened;
        try {
            opened = subject.open(simulated, configurationAfterwards("another"));
        } catch (StoreException refused) {
            if (!before.equals(files())) {
                throw new AssertionError("I11 one owner violated: another node was refused and has changed files");
            }
            return;
        }
        opened.close();
        throw new AssertionError("I11 one owner violated: another node opens the store");
    }

    private void thereIsRoomAgain() {
        simulated.setCapacity(EVER);
        simulated.setQuota(EVER, EVER);
    }

    private void limitRoom() throws IOException {
        thereIsRoomAgain();
        if (row.room() == Room.FULL_AT_OPENING) {
            simulated.setCapacity(usedBytes());
        } else if (row.room() == Room.QUOTA_USED_UP) {
            simulated.setQuota(usedBytes(), files().size());
        }
    }

    /** An opening whose disk dies, at an operation that differs from row to row. The next one must find everything. */
    private void openingThatDies() throws IOException {
        limitRoom();
        Random random = Seeds.random(seed * PRIME + row.toString().hashCode());
        simulated.crashAt(simulated.operations() + 1 + random.nextInt(OPENING_OPERATIONS));
        try {
            subject.open(simulated, configurationAfterwards()).close();
        } catch (StoreException | IllegalArgumentException diedOrRefused) {
            refusedOpenings++;
        }
        simulated = row.opening() == Opening.AFTER_ONE_THAT_CRASHED ? simulated.crash(seed) : simulated.kill();
    }

    private void secondLife() throws IOException {
        if (row.opening() != Opening.WHOLE) {
            openingThatDies();
        }
        limitRoom();
        if (isRefused()) {
            if (isCacheStale()) {
                simulated.healReads();
            }
            checkSegmentsAreRefused();
        }
        try (ObjectStore store = openedWithMoreRoomIfNeeded()) {
            oracle.checkRecovered(store);
            ObjectStore watched = oracle.watch(store);
            removeWithMoreRoomIfNeeded("remove, deferred,", () -> watched.remove(key(2), Durability.DEFERRED));
            removeWithMoreRoomIfNeeded("remove, forced,", () -> watched.remove(key(3), Durability.FORCED));
            thereIsRoomAgain();
            mustWork(
                    "a write with room again",
                    () -> watched.write(key(nextKey++), States.random(STATE_BYTES, seed), Durability.FORCED));
            oracle.revealAll(watched);
            if (row.longestState() != LongestState.USUAL) {
                mustWork("hide", () -> watched.hide(LONGEST)); // it is written again
                mustWork("reveal", () -> watched.reveal(LONGEST));
            }
            StoreWorkload.history(seed + 1, STEPS).run(watched);
            watched.close();
        }
    }

    /**
     * A removal must work without room, with one exception: after a change of the shape of batches or files a journal
     * needs more of it, see docs/operations.md.
     */
    private void removeWithMoreRoomIfNeeded(String what, Runnable removal) {
        if (!isShapeChanged()) {
            mustWork(what, removal);
            return;
        }
        try {
            removal.run();
        } catch (StoreFullException refused) {
            refusedRemovals++;
            thereIsRoomAgain();
            mustWork(what + " with room again,", removal);
        }
    }

    /** A larger block takes more room, and so does a way to the disk that writes whole blocks. */
    private boolean isShapeChanged() {
        return isSegmented() && row.size() != Size.SAME
                || isJournal() && (row.block() != Block.SAME || row.way() == Way.OTHER);
    }

    private ObjectStore openedWithMoreRoomIfNeeded() throws IOException {
        for (int step = 1; ; step++) {
            try {
                return subject.open(simulated, configurationAfterwards());
            } catch (StoreException refused) {
                refusedOpenings++;
                if (isCacheStale() && step == 1) {
                    simulated.healReads();
                    continue;
                }
                if (!saysThatThereIsNoRoom(refused) || step == MAX_ROOM_STEPS) {
                    throw refused;
                }
                if (row.room() == Room.QUOTA_USED_UP) {
                    simulated.setQuota(usedBytes() + (long) step * ROOM_STEP_BYTES, files().size() + step);
                } else {
                    simulated.setCapacity(usedBytes() + (long) step * ROOM_STEP_BYTES);
                }
            }
        }
    }

    private static boolean saysThatThereIsNoRoom(StoreException refused) {
        String message = String.valueOf(refused.getMessage());
        return refused instanceof StoreFullException
                || message.contains(DiskFault.ENOSPC)
                || message.contains(DiskFault.EDQUOT);
    }

    private void lastLife() {
        SimulatedDisk crashed = simulated.crash(seed);
        try (ObjectStore store = subject.open(crashed, configurationAfterwards())) {
            oracle.checkRecovered(store);
            StoreWorkload.history(seed + 2, STEPS / 2).run(oracle.watch(store));
        }
        try (ObjectStore store = subject.open(crashed, configurationAfterwards())) {
            oracle.checkRecovered(store);
        }
    }

    /** The segments of the second life must be refused in words, which name the least size that works. */
    private void checkSegmentsAreRefused() throws IOException {
        Map<Path, Integer> before = logFiles();
        try {
            subject.open(simulated, configurationAfterwards()).close();
        } catch (IllegalArgumentException refused) {
            if (!before.equals(logFiles())) {
                throw new AssertionError("I6 honest outcome violated: a refused opening has changed files", refused);
            }
            Matcher least = LEAST_SEGMENTS.matcher(String.valueOf(refused.getMessage()));
            if (!least.find()) {
                throw new AssertionError("the refusal names no size that works: " + refused, refused);
            }
            segmentBytesAfterwards = SizeText.parse(least.group(1));
            refusedOpenings++;
            return;
        }
        throw new AssertionError(
                "I1 durable violated: the store opens with segments that cannot hold what it must write again");
    }

    /** Whether the first life has left a state that the segments of the second one cannot hold. */
    private boolean isRefused() {
        return isSegmented() && row.size() == Size.SMALLER && row.longestState() == LongestState.BEYOND_THE_BOUND;
    }

    /** A segment has four times the longest state. */
    private int longestStateBytes() {
        return (int) SMALL / 4 + (isRefused() ? 1 : 0);
    }

    private StoreConfiguration firstConfiguration() {
        boolean isLarge = row.size() == Size.SMALLER;
        StoreConfiguration.Builder builder = subject.configuration(DIRECTORY).toBuilder();
        if (row.longestState() != LongestState.USUAL) {
            builder.set(StoreOption.MAX_STATE_SIZE, isLarge ? LARGE / 4 : SMALL / 4);
        }
        if (isJournal()) {
            builder.set(StoreOption.JOURNAL_SEGMENT_SIZE, isLarge ? LARGE : SMALL)
                    .set(StoreOption.JOURNAL_SEGMENTS, row.segments() == Segments.FEWER ? MORE_SEGMENTS : SEGMENTS);
        }
        if (row.node() != Node.NONE && row.node() != Node.FROM_THE_SECOND_LIFE_ON) {
            builder.set(StoreOption.NODE_ID, "one");
        }
        return builder.build();
    }

    private StoreConfiguration configurationAfterwards() {
        return configurationAfterwards("one");
    }

    private StoreConfiguration configurationAfterwards(String node) {
        StoreConfiguration.Builder builder = subject.configuration(DIRECTORY).toBuilder();
        switch (row.stateLimit()) {
            case SAME -> {}
            case HIGHER -> builder.set(StoreOption.MAX_STATE_SIZE, SMALL / 4);
            case LOWER -> builder.set(StoreOption.MAX_STATE_SIZE, (long) STATE_BYTES);
        }
        if (isJournal()) {
            builder.set(StoreOption.JOURNAL_SEGMENT_SIZE, segmentBytesAfterwards)
                    .set(StoreOption.JOURNAL_SEGMENTS, row.segments() == Segments.MORE ? MORE_SEGMENTS : SEGMENTS);
            switch (row.block()) {
                case SAME -> {}
                case FINER -> builder.set(StoreOption.JOURNAL_BLOCK_SIZE, FINER_BLOCK);
                case COARSER -> builder.set(StoreOption.JOURNAL_BLOCK_SIZE, COARSER_BLOCK);
            }
            if (row.way() == Way.OTHER) {
                builder.set(StoreOption.JOURNAL_IO, subject.name().endsWith("-direct") ? "channel" : "direct");
            }
        }
        if (row.node() != Node.NONE && row.node() != Node.NOT_NAMED_AGAIN) {
            builder.set(StoreOption.NODE_ID, node);
        }
        return builder.build();
    }

    private boolean isJournal() {
        return !subject.name().equals("file");
    }

    private boolean isSegmented() {
        return subject.name().startsWith("journal-segmented");
    }

    private long usedBytes() throws IOException {
        simulated.setCapacity(EVER);
        return EVER - simulated.usableSpace(ROOT);
    }

    private Map<Path, Integer> logFiles() throws IOException {
        Map<Path, Integer> files = files();
        files.keySet().removeIf(StoreDirectory::isOwnFile);
        return files;
    }

    /** The files of the disk with a hash of each; those that an owner writes about itself have none. */
    private Map<Path, Integer> files() throws IOException {
        Map<Path, Integer> files = new TreeMap<>();
        add(ROOT, files);
        return files;
    }

    private void add(Path directory, Map<Path, Integer> files) throws IOException {
        for (Path path : simulated.list(directory)) {
            if (simulated.kindOf(path) == Disk.PathKind.DIRECTORY) {
                files.put(path, 0);
                add(path, files);
            } else {
                files.put(path, StoreDirectory.isOwnFile(path) ? 0 : Arrays.hashCode(simulated.contents(path)));
            }
        }
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/Pairwise",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }
}
