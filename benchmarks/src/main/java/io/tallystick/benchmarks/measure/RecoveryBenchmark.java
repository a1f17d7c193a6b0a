package io.tallystick.benchmarks.measure;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.RecoveryStore;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.objectstore.TxLog;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import com.arjuna.ats.internal.arjuna.common.UidHelper;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The time from the first call until recovery has read every record that a process left when it was halted: 512 of
 * 16,000 transactions, in a new JVM whose code is cold, with files that the page cache still has.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class RecoveryBenchmark {
    /** Records in the store when the process is halted. */
    public static final int LEFT = 512;
    /** Transactions of the process before the halt. */
    public static final int TRANSACTIONS = 16_000;

    private static final int WRITERS = 16;
    private static final int STATE_BYTES = 600;

    /** Name of the {@link Subject}. */
    @Param("")
    public String store;

    /** Opens, lists and reads. */
    @Benchmark
    public int open() throws ObjectStoreException, IOException {
        String storeClass = recoveryStore().getClass().getName();
        if (!storeClass.equals(SubjectCatalog.named(store).storeClass())) {
            throw new IllegalStateException("store=" + store + ": the transaction manager uses " + storeClass);
        }
        int records = readAll();
        if (records != left()) {
            throw new IllegalStateException("store=" + store + ": " + records + " records instead of " + left());
        }
        return records;
    }

    /** Has Narayana open its store. */
    public static RecoveryStore recoveryStore() {
        return StoreManager.getRecoveryStore();
    }

    /** Lists and reads the records of that store, as recovery does, and returns how many there are. */
    public static int readAll() throws ObjectStoreException, IOException {
        RecoveryStore recovery = recoveryStore();
        String type = new AtomicAction().type();
        InputObjectState list = new InputObjectState();
        recovery.allObjUids(type, list);
        int records = 0;
        for (Uid uid = UidHelper.unpackFrom(list); !uid.equals(Uid.nullUid()); uid = UidHelper.unpackFrom(list)) {
            InputObjectState state = recovery.read_committed(uid, type);
            if (state == null || state.unpackBytes().length != STATE_BYTES) {
                throw new IllegalStateException("the record of " + uid + " differs from the written one");
            }
            records++;
        }
        return records;
    }

    /** The number of records that the earlier process left. */
    int left() {
        return LEFT;
    }

    /**
     * The earlier process: it writes and removes records, leaves as many as the argument says, and halts without
     * closing the store.
     */
    public static void main(String[] arguments) throws InterruptedException {
        int left = Integer.parseInt(arguments[0]);
        TxLog log = StoreManager.getTxLog();
        String type = new AtomicAction().type();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] writers = new Thread[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            int ofThis = left * (i + 1) / WRITERS - left * i / WRITERS;
            writers[i] = new Thread(() -> {
                try {
                    write(log, type, ofThis);
                } catch (ObjectStoreException | IOException | RuntimeException failed) {
                    failure.set(failed);
                }
            });
            writers[i].start();
        }
        for (Thread writer : writers) {
            writer.join();
        }
        if (failure.get() != null) {
            failure.get().printStackTrace();
        }
        Runtime.getRuntime().halt(failure.get() == null ? 0 : 1);
    }

    private static void write(TxLog log, String type, int left) throws ObjectStoreException, IOException {
        int mine = TRANSACTIONS / WRITERS;
        for (int i = 0; i < mine; i++) {
            Uid uid = new Uid();
            OutputObjectState state = new OutputObjectState(uid, type);
            state.packBytes(new byte[STATE_BYTES]);
            if (!log.write_committed(uid, type, state)) {
                throw new ObjectStoreException("the record of " + uid + " was not written");
            }
            boolean stays = i * left / mine != (i + 1) * left / mine;
            if (!stays && !log.remove_committed(uid, type)) {
                throw new ObjectStoreException("the record of " + uid + " was not removed");
            }
        }
    }
}
