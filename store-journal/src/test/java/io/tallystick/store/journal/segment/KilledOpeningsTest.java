package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * On a disk that stays full, each opening is killed at the worst of all disk operations: where the fewest unused
 * segments are left, and among those where the fewest records have been removed. The store opens nevertheless, and all
 * records can be removed.
 */
class KilledOpeningsTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long CAPACITY = 1L << 24;
    private static final long KEEP_ALL = 1;

    private final SimulatedDisk first = new SimulatedDisk();

    /** How a life ended, and what it left. */
    private record End(SimulatedDisk disk, int unused, int removed, String crashedDuring) {}

    @ParameterizedTest
    @CsvSource({
        "channel, 64, 5000, 4, 5",
        "direct, 256, 8000, 1, 5",
        "channel, 256, 600, 1, 3",
        "direct, 1024, 8000, 1, 5",
        "channel, 2048, 8000, 1, 4",
    })
    void theWorstKillsOfManyOpeningsLeaveASegmentToBeginWith(
            String io, int kibibytes, int mostBytes, int fittingFiles, int lives) throws IOException {
        long segmentBytes = kibibytes * StoreOption.KIB;
        List<StateKey> written = fullStore(io, segmentBytes, mostBytes, fittingFiles);
        SimulatedDisk now = first;
        int removed = 0;
        StringBuilder history = new StringBuilder();
        for (int life = 1; life <= lives; life++) {
            End worst = worstLife(now, io, segmentBytes, written.get(life - 1));
            removed += worst.removed;
            history.append(" / ").append(worst.crashedDuring).append(" unused=").append(worst.unused);
            assertThat(worst.unused).as(history.toString()).isPositive();
            now = worst.disk;
            checkOpensAndRemoves(now, io, segmentBytes, written, removed, life, history.toString());
        }
    }

    /** The end of a life that leaves the fewest unused segments. */
    private static End worstLife(SimulatedDisk dead, String io, long segmentBytes, StateKey key) throws IOException {
        End worst = null;
        for (int operation = 1; ; operation++) {
            SimulatedDisk dying = full(dead.crash(KEEP_ALL));
            dying.crashAt(dying.operations() + operation);
            boolean isRemoved = removeUntilItDies(dying, io, segmentBytes, key);
            boolean isDead = dying.crashedDuring().isPresent();
            String during = dying.crashedDuring().orElse("an orderly close");
            int unused = unused(dying.crash(KEEP_ALL));
            End end = new End(dying, unused, isRemoved ? 1 : 0, during);
            if (worst == null
                    || end.unused < worst.unused
                    || end.unused == worst.unused && end.removed <= worst.removed) {
                worst = end;
            }
            if (!isDead) {
                return worst;
            }
        }
    }

    /** Whether the record was removed, for sure. */
    private static boolean removeUntilItDies(SimulatedDisk dying, String io, long segmentBytes, StateKey key) {
        boolean isRemoved = false;
        try (ObjectStore store = open(io, segmentBytes, dying)) {
            store.remove(key, Durability.FORCED);
            isRemoved = true;
        } catch (StoreException died) {
            if (dying.crashedDuring().isEmpty()) {
                throw died;
            }
        }
        return isRemoved;
    }

    private static void checkOpensAndRemoves(
            SimulatedDisk dead,
            String io,
            long segmentBytes,
            List<StateKey> written,
            int removed,
            int tried,
            String history) {
        try (ObjectStore store = open(io, segmentBytes, full(dead.crash(KEEP_ALL)))) {
            assertThat(store.keys("/T"))
                    .as(history)
                    .hasSizeBetween(written.size() - tried, written.size() - removed)
                    .containsAll(written.subList(tried, written.size()));
            for (StateKey key : written) {
                assertThatCode(() -> store.remove(key, Durability.FORCED))
                        .as("removing %s after%s", key, history)
                        .doesNotThrowAnyException();
            }
            assertThatCode(() -> store.write(written.get(0), new byte[5_000], Durability.FORCED))
                    .as(history)
                    .doesNotThrowAnyException();
        } catch (StoreException failed) {
            throw new AssertionError("after" + history + ": " + failed.getMessage(), failed);
        }
    }

    /** Segments that the next opening may use at once: those below the oldest, and those behind the last batch. */
    private static int unused(SimulatedDisk disk) throws IOException {
        byte[] storeId = JournalFiles.storeId(disk, DIRECTORY);
        Map<Path, SegmentHeader> headers = new HashMap<>();
        Map<Path, Boolean> hasBatch = new HashMap<>();
        for (Path path : SegmentFiles.in(disk, DIRECTORY)) {
            try (DiskFile file = disk.open(path, OpenMode.READ)) {
                SegmentHeader header =
                        SegmentHeader.decode(SegmentFiles.headerBlock(file, file.size()), storeId, path, file.size());
                headers.put(path, header);
                new SegmentScanner(storeId).scan(file, header, new SegmentScanner.Visitor() {
                    @Override
                    public void batch(ScannedBatch batch) {
                        hasBatch.put(path, true);
                    }

                    @Override
                    public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
                        // batches count
                    }
                });
            }
        }
        long oldest = SegmentFiles.oldestId(headers);
        long lastUsed = headers.entrySet().stream()
                .filter(each ->
                        hasBatch.containsKey(each.getKey()) && each.getValue().segmentId() >= oldest)
                .mapToLong(each -> each.getValue().segmentId())
                .max()
                .orElse(0);
        return (int) headers.values().stream()
                .filter(header -> header.segmentId() < oldest || header.segmentId() > lastUsed)
                .count();
    }

    private List<StateKey> fullStore(String io, long segmentBytes, int mostBytes, int fittingFiles) throws IOException {
        List<StateKey> written = new ArrayList<>();
        Random random = new Random(mostBytes);
        try (ObjectStore store = open(io, segmentBytes, first)) {
            fillTheDisk((int) segmentBytes * fittingFiles + 2 * SegmentFixture.BLOCK);
            for (int refused = 0, number = 1; refused < 20; number++) {
                StateKey key = key(number);
                try {
                    // deferred, so that records lie side by side and the segments are full of what is live
                    store.write(key, new byte[random.nextInt(mostBytes)], Durability.DEFERRED);
                    written.add(key);
                } catch (StoreFullException full) {
                    refused++;
                }
            }
            for (StateKey key : written.subList(0, written.size() / 20)) {
                store.remove(key, Durability.FORCED);
            }
            written.subList(0, written.size() / 20).clear();
        }
        first.crash(KEEP_ALL); // dead, for copies
        assertThat(written).hasSizeGreaterThan(20);
        return written;
    }

    private static SimulatedDisk full(SimulatedDisk disk) {
        disk.setCapacity(CAPACITY);
        return disk;
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }

    private static ObjectStore open(String io, long segmentBytes, Disk disk) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, segmentBytes)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }

    private void fillTheDisk(int leftBytes) throws IOException {
        first.setCapacity(CAPACITY);
        Path ballast = DIRECTORY.resolveSibling("ballast");
        try (DiskFile file = first.open(ballast, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.allocate((int) first.usableSpace(DIRECTORY) - leftBytes), 0);
            file.force();
        }
        first.forceDirectory(ballast.getParent());
    }
}
