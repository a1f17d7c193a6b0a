package io.tallystick.store.journal.room;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.journal.room.Reserves.Costs;
import io.tallystick.store.journal.room.Reserves.SpareFiles;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The example of the formulas, and the promise of the reserves for logs of random sizes on a disk that is full. */
class ReservesTest {
    private static final int LOGS = 400;
    private static final int KIB = 1024;

    @Test
    void theExampleIsRight() {
        Reserves reserves = new Reserves(1024 * KIB, new Costs(512 * KIB, 64 + 4 * KIB, 0, 0), new SpareFiles(0, 2, 0));

        long waste = reserves.waste(8, 10_000);

        assertThat(waste).isEqualTo(26_640);
        assertThat(reserves.whileCarrying(waste)).isEqualTo(26_640);
        assertThat(reserves.forRemovals(8, waste, 0)).isEqualTo(2_363_552);
        assertThat(reserves.forWrites(8, waste, 0)).isEqualTo(2_838_816);
    }

    @Test
    void imagesThatGrowAndFilesThatAreFreedLateRaiseTheReserves() {
        Reserves reserves = new Reserves(1024 * KIB, new Costs(512 * KIB, 4 * KIB, 16, 30), new SpareFiles(1, 3, 1));

        long waste = reserves.waste(8, 10_000);
        long growth = reserves.growth(50);

        assertThat(waste).isEqualTo(10_000 + 4 * 4 * KIB + 8 * 16);
        assertThat(growth).isEqualTo(1_500);
        assertThat(reserves.whileCarrying(waste)).isEqualTo(1024 * KIB + waste);
        assertThat(reserves.forRemovals(8, waste, growth)).isEqualTo(3 * 1024 * KIB + 10 * waste + growth);
        assertThat(reserves.forWrites(8, waste, growth) - reserves.forRemovals(8, waste, growth))
                .isEqualTo(8 * waste + growth + 1024 * KIB + 256 * KIB);
        assertThat(reserves.afterCarryingAll(4096 * KIB, 8, waste, growth)).isEqualTo(4096 * KIB - 8 * waste - growth);
    }

    @Test
    void theWasteNeverExceedsAQuarterOfAFile() {
        Reserves reserves = new Reserves(64 * KIB, new Costs(512 * KIB, 4 * KIB, 0, 0), new SpareFiles(0, 2, 0));

        assertThat(reserves.waste(5, 60 * KIB)).isEqualTo(16 * KIB);
    }

    /**
     * A removal never fails for room; a carried record always finds room. Each log is filled until writes are refused,
     * then all its records are removed in a random order.
     */
    @Test
    void aFullLogTakesEveryRemovalWhateverItsSizes() {
        long carried = 0;
        for (long seed = 0; seed < LOGS; seed++) {
            LogModel log = new LogModel(new Random(seed), seed);
            log.fill();
            log.removeAll();
            carried += log.filesCarried;
        }
        assertThat(carried).as("files that were carried along").isGreaterThan(LOGS);
    }

    /** A file, and the lengths of the records in it. */
    private static final class File {
        final List<Long> live = new ArrayList<>();
        long used;
    }

    /**
     * The arithmetic of the segmented engine, without bytes: each record reserves twice its padded length, is laid out
     * alone, and gives back the rest. The disk takes no more files.
     */
    private static final class LogModel {
        private static final int HEADER_BYTES = 64;
        private static final int LEAST_RECORD_BYTES = 100;

        private final Random random;
        private final String name;
        private final long fileBytes;
        private final long blockBytes;
        private final long portionBytes;
        private final long longest;
        private final int files;
        private final Reserves reserves;
        private final Room room = new Room();
        private final Deque<File> spares = new ArrayDeque<>();
        private final Deque<File> inUse = new ArrayDeque<>();
        long filesCarried;

        LogModel(Random random, long seed) {
            this.random = random;
            this.blockBytes = 512L << random.nextInt(4);
            this.fileBytes = 64L * KIB << random.nextInt(4);
            this.portionBytes = fileBytes >> random.nextInt(3);
            // With its header and its padding no more than a quarter of a file.
            long most = fileBytes / 4 - HEADER_BYTES - blockBytes;
            this.longest = LEAST_RECORD_BYTES + random.nextInt((int) (most - LEAST_RECORD_BYTES));
            this.files = 5 + random.nextInt(12);
            this.reserves = new Reserves(
                    fileBytes, new Costs(portionBytes, HEADER_BYTES + blockBytes, 0, 0), new SpareFiles(0, 2, 0));
            this.name = "seed=" + seed + " file-bytes=" + fileBytes + " block-bytes=" + blockBytes + " portion-bytes="
                    + portionBytes + " longest=" + longest + " files=" + files;
            for (int i = 0; i < files; i++) {
                spares.add(new File());
                room.give(usable());
            }
        }

        private long usable() {
            return fileBytes - blockBytes;
        }

        private long waste() {
            return reserves.waste(files, longest);
        }

        private long padded(long recordBytes) {
            return (HEADER_BYTES + recordBytes + blockBytes - 1) / blockBytes * blockBytes;
        }

        private long randomLength() {
            return LEAST_RECORD_BYTES + random.nextInt((int) (longest - LEAST_RECORD_BYTES + 1));
        }

        /** Writes until a write is refused; some records are dead at once. */
        void fill() {
            long floor = reserves.forWrites(files, waste(), 0);
            int deadOf = 2 + random.nextInt(20);
            for (long length = randomLength(); hasRoomFor(length, floor); length = randomLength()) {
                lay(length, random.nextInt(deadOf) != 0);
            }
        }

        /** Removes all live records, in a random order. */
        void removeAll() {
            long floor = reserves.forRemovals(files, waste(), 0);
            while (!withLive().isEmpty()) {
                assertThat(hasRoomFor(LEAST_RECORD_BYTES, floor))
                        .as("%s: a removal finds room; room=%d floor=%d", name, room.free(), floor)
                        .isTrue();
                lay(LEAST_RECORD_BYTES, false);
                File file = withLive().get(random.nextInt(withLive().size()));
                file.live.remove(random.nextInt(file.live.size()));
            }
        }

        private List<File> withLive() {
            return inUse.stream().filter(file -> !file.live.isEmpty()).toList();
        }

        /** Reserves, and makes room where there is too little. */
        private boolean hasRoomFor(long recordBytes, long floor) {
            long charge = 2 * padded(recordBytes);
            freeDead();
            for (int carried = 0; room.free() - charge < floor && carried <= 2 * files; carried++) {
                if (attainable() < charge + floor || inUse.size() < 2) {
                    break;
                }
                carryOldest();
            }
            return room.tryTake(charge, floor);
        }

        private long attainable() {
            long dead = files * usable();
            for (File file : inUse) {
                dead -= file.live.stream().mapToLong(Long::longValue).sum();
            }
            return reserves.afterCarryingAll(dead, files, waste(), 0);
        }

        private void freeDead() {
            while (inUse.size() > 1 && inUse.peek().live.isEmpty()) {
                inUse.remove();
                spares.add(new File());
                room.give(usable());
            }
        }

        /** Lays out a record that has reserved its room, alone in its batch. */
        private void lay(long recordBytes, boolean lives) {
            File file = fileWithRoomFor(padded(recordBytes));
            if (lives) {
                file.live.add(recordBytes);
            }
            file.used += padded(recordBytes);
            room.give(padded(recordBytes)); // twice as much was reserved
        }

        private File fileWithRoomFor(long bytes) {
            File active = inUse.peekLast();
            if (active == null || usable() - active.used < bytes) {
                if (active != null) {
                    room.take(usable() - active.used);
                    active.used = usable();
                }
                active = spares.poll();
                assertThat(active)
                        .as("%s: a file for a record that has reserved room", name)
                        .isNotNull();
                inUse.add(active);
            }
            return active;
        }

        private void carryOldest() {
            File oldest = inUse.peek();
            Collections.shuffle(oldest.live, random);
            List<Long> portion = new ArrayList<>();
            long portionNow = 0;
            for (long length : oldest.live) {
                assertThat(room.tryTake(length, reserves.whileCarrying(waste())))
                        .as("%s: a carried record finds room; room=%d", name, room.free())
                        .isTrue();
                portion.add(length);
                portionNow += length;
                if (portionNow >= portionBytes) {
                    layBatches(portion);
                    portionNow = 0;
                }
            }
            layBatches(portion);
            oldest.live.clear();
            filesCarried++;
            freeDead();
        }

        /** Lays out carried records side by side; a batch ends where the file does. */
        private void layBatches(List<Long> records) {
            for (int i = 0; i < records.size(); ) {
                File file = fileWithRoomFor(padded(records.get(i)));
                long batch = 0;
                while (i < records.size() && padded(batch + records.get(i)) <= usable() - file.used) {
                    batch += records.get(i);
                    file.live.add(records.get(i));
                    i++;
                }
                file.used += padded(batch);
                room.take(padded(batch) - batch);
            }
            records.clear();
        }
    }
}
