package io.tallystick.store.journal.artemis;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;

/**
 * A process of its own that uses a store and says on its output what became of each operation.
 *
 * <p>{@code sequence directory io count}: writes that many records one after the other: {@code ACK number} or
 * {@code ERR number exception}, and {@code DONE}.
 *
 * <p>{@code churn directory io first}: four threads write and remove until the process is killed: {@code ACK
 * number} after a write, {@code REMOVING number} before a removal, {@code REMOVED number} after one that was
 * forced.
 */
final class StoreProcess {
    static final int THREADS = 4;
    static final int NUMBERS_A_THREAD = 1_000_000;

    private StoreProcess() {}

    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[1]);
        int number = Integer.parseInt(arguments[3]);
        if (arguments[0].equals("sequence")) {
            sequence(directory, arguments[2], number);
        } else {
            churn(directory, arguments[2], number);
        }
    }

    private static void sequence(Path directory, String io, int count) {
        ObjectStore store = JournalStores.open(configuration(directory, io));
        for (int number = 0; number < count; number++) {
            try {
                store.write(key(number), state(number), Durability.FORCED);
                say("ACK " + number);
            } catch (StoreException told) {
                say("ERR " + number + " " + told.getClass().getSimpleName());
            }
        }
        try {
            store.close();
        } catch (StoreException told) {
            say("ERR close " + told.getClass().getSimpleName());
        }
        say("DONE");
    }

    private static void churn(Path directory, String io, int first) {
        ObjectStore store = JournalStores.open(configuration(directory, io));
        for (int t = 0; t < THREADS; t++) {
            int begin = first + t * NUMBERS_A_THREAD;
            new Thread(() -> {
                        for (int number = begin; ; number++) {
                            store.write(key(number), state(number), Durability.FORCED);
                            say("ACK " + number);
                            if (number % 5 != 0) {
                                say("REMOVING " + number);
                                if (number % 2 == 0) {
                                    store.remove(key(number), Durability.FORCED);
                                    say("REMOVED " + number);
                                } else {
                                    store.remove(key(number), Durability.DEFERRED);
                                }
                            }
                        }
                    })
                    .start();
        }
    }

    private static void say(String line) {
        synchronized (StoreProcess.class) {
            System.out.println(line);
            System.out.flush();
        }
    }

    static StoreConfiguration.Builder configuration(Path directory, String io) {
        return JournalStores.small(directory, "artemis", io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    static int numberOf(StateKey key) {
        return ByteBuffer.wrap(key.id().toBytes()).getInt();
    }

    static byte[] state(int number) {
        Random random = new Random(number);
        byte[] state = new byte[random.nextInt(1500)];
        random.nextBytes(state);
        return state;
    }
}
