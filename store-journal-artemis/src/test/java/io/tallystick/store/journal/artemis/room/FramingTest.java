package io.tallystick.store.journal.artemis.room;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.journal.room.Reserves;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The example of the charges and reserves, and properties that hold for all files, records and lengths. */
class FramingTest {
    private static final int ROUNDS = 3000;
    private static final int KIB = 1024;
    private static final int PORTION_BYTES = 512 * KIB;
    private static final int MOST_BATCH_BYTES = KIB * KIB;

    private static Framing artemis(int alignment) {
        return new Framing(87, 23, 18, 16, alignment);
    }

    @Test
    void theExampleIsRight() {
        Framing framing = artemis(512);
        Reserves reserves = framing.reserves(64 * KIB, PORTION_BYTES);

        long waste = reserves.waste(5, 1300);
        long growth = reserves.growth(100);

        assertThat(framing.charge(1200)).isEqualTo(1536);
        assertThat(framing.chargeOfCopy(1200)).isEqualTo(1241);
        assertThat(waste).isEqualTo(2578);
        assertThat(growth).isEqualTo(4100);
        assertThat(reserves.whileCarrying(waste)).isEqualTo(68_114);
        assertThat(reserves.forRemovals(5, waste, growth)).isEqualTo(218_754);
        assertThat(reserves.forWrites(5, waste, growth)).isEqualTo(317_664);
        assertThat(reserves.afterCarryingAll(5 * 60 * KIB - 100_000, 5, waste, growth))
                .isEqualTo(5 * (61_440 - 2578) - 100_000 - 4100);
    }

    @Test
    void noReserveShrinksWhenThereIsMoreToCopy() {
        forRandomJournals(journal -> {
            long removal = journal.forRemovals(0, 0, 0);

            assertThat(journal.forRemovals(1, 0, 0)).isGreaterThanOrEqualTo(removal);
            assertThat(journal.forRemovals(0, 1, 0)).isGreaterThan(removal);
            assertThat(journal.forRemovals(0, 0, 1)).isGreaterThanOrEqualTo(removal);
            assertThat(journal.forWrites(1, 0, 1)).isGreaterThanOrEqualTo(journal.forWrites(0, 0, 0));
        });
    }

    /** Removals need room after writes have stopped. */
    @Test
    void aWriteLeavesAFileAndAQuarterForRemovalsBesidesTheCopies() {
        forRandomJournals(journal -> {
            long between = journal.forWrites(0, 0, 0) - journal.forRemovals(0, 0, 0);
            long copies = journal.files * journal.reserves.waste(journal.files, journal.longest)
                    + journal.records * journal.framing.chargeOfCopy(0);

            assertThat(between - copies).isEqualTo(journal.fileBytes * 5 / 4);
        });
    }

    @Test
    void aRecordThatIsAloneInItsBatchTakesNoMoreThanItsCharge() {
        forRandomJournals(journal -> {
            long charge = journal.framing.charge(journal.longest);

            assertThat(charge % journal.alignment).isZero();
            assertThat(charge).isGreaterThanOrEqualTo(journal.longest + 87 + 23 + 18);
            assertThat(charge).isLessThan(journal.longest + 87 + 23 + 18 + journal.alignment);
        });
    }

    /**
     * The records of full files are laid out as a log lays out copies, from a random place in the active file. One file
     * alone may take a little more than its waste, when its copies end in a third file. All files together do not.
     */
    @Test
    void copiesOfAllFilesTakeNoMoreThanARemovalLeavesForThem() {
        forRandomJournals(journal -> {
            long charges = 0;
            long taken = 0;
            for (int file = 0; file < journal.files; file++) {
                ArrayDeque<Integer> records = journal.recordsOfAFullFile();
                for (int length : records) {
                    charges += journal.framing.chargeOfCopy(length);
                }
                taken += journal.layOut(records);
            }

            long forWaste = journal.forRemovals(0, -journal.records, 0) - 3 * journal.fileBytes;
            assertThat(taken).isLessThanOrEqualTo(charges + forWaste);
        });
    }

    private interface Property {
        void holdsFor(Journal journal);
    }

    private static void forRandomJournals(Property property) {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Journal journal = new Journal(new Random(seed));
            try {
                property.holdsFor(journal);
            } catch (AssertionError broken) {
                throw new AssertionError("seed=" + seed + " " + journal + ": " + broken.getMessage(), broken);
            }
        }
    }

    /** A journal of random shape, with no record and its padding above a quarter of a file. */
    private static final class Journal {
        private final Random random;
        private final long fileBytes;
        private final long usableBytes;
        private final int alignment;
        private final long files;
        private final long records;
        private final long longest;
        private final Framing framing;
        private final Reserves reserves;
        private long at;

        Journal(Random random) {
            this.random = random;
            this.fileBytes = (64L * KIB) << random.nextInt(7);
            this.usableBytes = fileBytes - 4 * KIB;
            this.alignment = 512 << random.nextInt(4);
            this.framing = artemis(alignment);
            this.reserves = framing.reserves(fileBytes, PORTION_BYTES);
            this.files = 4 + random.nextInt(40);
            this.records = random.nextInt(5000);
            long most = fileBytes / 4 - 2 * (alignment + 87L) - files * 16;
            this.longest = 200 + random.nextInt((int) most - 200);
            this.at = fileBytes - usableBytes + random.nextInt((int) (usableBytes / alignment)) * (long) alignment;
        }

        long forRemovals(int moreFiles, long moreRecords, int longer) {
            return reserves.forRemovals(
                    files + moreFiles,
                    reserves.waste(files + moreFiles, longest + longer),
                    reserves.growth(records + moreRecords));
        }

        long forWrites(int moreFiles, long moreRecords, int longer) {
            return reserves.forWrites(
                    files + moreFiles,
                    reserves.waste(files + moreFiles, longest + longer),
                    reserves.growth(records + moreRecords));
        }

        ArrayDeque<Integer> recordsOfAFullFile() {
            ArrayDeque<Integer> lengths = new ArrayDeque<>();
            long left = usableBytes - 87;
            while (true) {
                int length = 100 + random.nextInt((int) longest - 99);
                left -= length + 23;
                if (left < 0) {
                    return lengths;
                }
                lengths.add(length);
            }
        }

        /** The room that copies of the records take from the active file and the next ones. */
        long layOut(ArrayDeque<Integer> waiting) {
            long taken = 0;
            ArrayDeque<Integer> portion = new ArrayDeque<>();
            while (!waiting.isEmpty() || !portion.isEmpty()) {
                if (portion.isEmpty()) {
                    for (long bytes = 0; !waiting.isEmpty() && bytes < PORTION_BYTES; ) {
                        portion.add(waiting.poll());
                        bytes += portion.peekLast();
                    }
                }
                long header = 87;
                if (at + header + portion.peek() + 41 > fileBytes) {
                    taken += fileBytes - at;
                    at = fileBytes - usableBytes;
                    header += files * 16;
                }
                long limit = Math.min(fileBytes - at, MOST_BATCH_BYTES);
                long length = header + portion.poll() + 41;
                while (!portion.isEmpty() && length + portion.peek() + 41 <= limit) {
                    length += portion.poll() + 41;
                }
                long padded = (length + alignment - 1) / alignment * alignment;
                taken += padded;
                at += padded;
            }
            return taken;
        }

        @Override
        public String toString() {
            return "file-bytes=" + fileBytes + " alignment=" + alignment + " files=" + files + " records=" + records
                    + " longest=" + longest;
        }
    }
}
