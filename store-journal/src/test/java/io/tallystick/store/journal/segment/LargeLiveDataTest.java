package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalStores;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The index knows where records are, not what is in them: live data may be larger than the heap. */
class LargeLiveDataTest {
    private static final int RECORD_BYTES = 10_000;
    private static final int RECORDS = 6_750; // twice a heap of 32 MiB

    @TempDir
    Path directory;

    @Test
    void liveDataTwiceTheHeapIsWrittenReadAndFoundAgain() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx32m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SmallHeap.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("found=" + RECORDS);
    }

    /** The process with the small heap. */
    static final class SmallHeap {
        private SmallHeap() {}

        public static void main(String[] arguments) {
            Path store = Path.of(arguments[0], "store");
            Random random = new Random(1);
            byte[] versions = new byte[RECORDS];
            try (ObjectStore journal = open(store)) {
                for (int number = 0; number < RECORDS; number++) {
                    journal.write(key(number), state(number, 0), Durability.DEFERRED);
                }
                journal.force();
                for (int i = 0; i < 2_000; i++) {
                    int number = random.nextInt(RECORDS);
                    journal.write(key(number), state(number, ++versions[number]), Durability.DEFERRED);
                    check(journal, random.nextInt(RECORDS), versions, false);
                }
            }
            int found = 0;
            try (ObjectStore journal = open(store)) {
                for (int i = 0; i < 3_000; i++) {
                    check(journal, random.nextInt(RECORDS), versions, true);
                }
                for (int number = 0; number < RECORDS; number++) {
                    check(journal, number, versions, true);
                    found++;
                }
            }
            System.out.println("found=" + found);
        }

        private static ObjectStore open(Path store) {
            return JournalStores.open(JournalStores.small(store, "segmented", "channel"));
        }

        /** A deferred write is seen when it is on disk, so until it was forced an earlier version may be there. */
        private static void check(ObjectStore journal, int number, byte[] versions, boolean isForced) {
            byte[] found = journal.read(key(number)).orElseThrow(() -> new AssertionError("no record " + number));
            int version = found[4];
            boolean isOneOfIts = (isForced ? version == versions[number] : version <= versions[number])
                    && Arrays.equals(found, state(number, version));
            if (!isOneOfIts) {
                throw new AssertionError("record " + number + " has version " + version + " or is damaged");
            }
        }
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    private static byte[] state(int number, int version) {
        byte[] state = new byte[RECORD_BYTES];
        new Random(number * 31L + version).nextBytes(state);
        ByteBuffer.wrap(state).putInt(number).put((byte) version);
        return state;
    }
}
