package io.tallystick.narayana.recover;

import io.tallystick.narayana.doubt.WeakIdentities;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The records of a log that recovery does not look for, and whose branches it therefore takes for orphans: those that
 * the expiry scanner has given up, and those that were forgotten by hand.
 *
 * <p><b>Cost.</b> A question about a branch looks up one key in each type of the log. The directories with forgotten
 * records are listed at the first question after {@link #renew}, which each record calls that is forgotten in this
 * process, and after {@link #scanBegins}, but then at most every {@value #LISTED_SECONDS} s.
 *
 * <p><b>Order.</b> The expiry scanner writes a record where it gives it up, and then removes it where it was. So the
 * first place is asked first: a record on its way is found in one of the two. {@code forget} keeps a record in a
 * directory, calls {@link #renew}, and then removes it from the log. So the log is asked before the directories.
 *
 * <p>It holds the log weakly. May be used by any number of threads.
 */
public final class RecordsAside {
    // By their logs. Static, because Narayana makes an adaptor for each role and hands them nothing in common.
    private static final WeakIdentities<RecordsAside> OF_THIS_PROCESS = new WeakIdentities<>();
    // The one type whose records the expiry scanner gives up. Of others Narayana's own filters judge: a record with a
    // CommitMarkableResource may stand for a transaction that is to be rolled back.
    private static final String ACTION = NarayanaRecords.ACTIONS + "/TwoPhaseCoordinator/AtomicAction";
    // Of imported transactions: ".../SubordinateAtomicAction", and ServerTransaction of JTS.
    private static final List<String> IMPORTED = List.of("Subordinate", "Server");

    static final int LISTED_SECONDS = 10;

    private static final long LISTED_NANOS = TimeUnit.SECONDS.toNanos(LISTED_SECONDS);

    private final WeakReference<ObjectStore> log;
    private final Disk disk;
    private final NanoClock clock;
    // The quarantine of the log, which may be missing; empty if it lies in no directory.
    private final Optional<Path> own;
    // Guarded by this, as what follows. They may not be missing.
    private final Set<Path> configured = new LinkedHashSet<>();
    // Null if they are to be listed.
    private ForgottenRecords forgotten;
    private long listedNanos;

    RecordsAside(ObjectStore log, Disk disk, NanoClock clock) {
        this.log = new WeakReference<>(log);
        this.disk = disk;
        this.clock = clock;
        this.own = log.description()
                .directory()
                .map(directory ->
                        SettledTrail.directoryIn(directory.toAbsolutePath().normalize()));
    }

    /** Those of this log; always the same object. */
    public static RecordsAside of(ObjectStore log) {
        return OF_THIS_PROCESS.computeIfAbsent(log, () -> new RecordsAside(log, new SystemDisk(), NanoClock.SYSTEM));
    }

    /**
     * Why a branch must not be rolled back.
     *
     * @param text the reason, for people; empty if recovery finds the record itself
     */
    public record Reason(String text) {
        private static final Reason RECOVERY_KNOWS = new Reason("");

        /** Whether recovery never ends the branch, so that a person must. */
        public boolean isForPerson() {
            return !text.isEmpty();
        }
    }

    /**
     * Records that are forgotten may be kept in this directory, too. While it is missing, it is not known which ones
     * were forgotten: a volume that is not mounted looks so.
     */
    public synchronized void alsoIn(Path directory) {
        Path path = directory.toAbsolutePath().normalize();
        if (!own.equals(Optional.of(path)) && configured.add(path)) {
            forgotten = null;
        }
    }

    /** The directories in which forgotten records may be kept, first that of the store itself. */
    public synchronized List<Path> directories() {
        return Stream.concat(own.stream(), configured.stream()).toList();
    }

    /** A scan begins: what is older than {@value #LISTED_SECONDS} s is listed again before the next answer. */
    public synchronized void scanBegins() {
        if (forgotten != null && clock.nanoTime() - listedNanos >= LISTED_NANOS) {
            forgotten = null;
        }
    }

    /** The directories are listed again before the next answer. */
    public synchronized void renew() {
        forgotten = null;
    }

    /**
     * Why this branch must not be rolled back though recovery finds no record of it; empty if nothing speaks for a
     * record.
     *
     * @throws io.tallystick.store.StoreException the log cannot be read
     * @throws IOException the directories cannot be read, which are named
     */
    public Optional<Reason> of(BranchId branch) throws IOException {
        ObjectStore store = log.get();
        if (store == null) {
            return Optional.empty();
        }
        Optional<ObjectId> transaction = branch.transaction();
        Optional<Reason> reason = transaction.isPresent() ? ofRecord(store, transaction.get()) : Optional.empty();
        if (reason.isPresent()) {
            return reason;
        }
        // Of another format are branches that have their parent's.
        boolean mayBeImported = branch.subordinateNode().isPresent() || !branch.isNarayanas();
        if (mayBeImported && store.types().stream().anyMatch(RecordsAside::isImportedGivenUp)) {
            return Optional.of(new Reason("it belongs to an imported transaction, and the log has given up records of"
                    + " imported transactions, which may have decided to commit it"));
        }
        return ofForgotten(branch);
    }

    private static Optional<Reason> ofRecord(ObjectStore store, ObjectId uid) {
        if (store.statusOf(StateKey.of(ACTION, uid)) != StateStatus.ABSENT) {
            return Optional.of(Reason.RECOVERY_KNOWS);
        }
        return find(store, uid, NarayanaRecords::isGivenUp)
                .map(givenUp -> new Reason("its record uid=" + NarayanaUid.text(uid) + " was given up"
                        + decisionOf(store, givenUp) + ", and may have decided to commit it"));
    }

    private Optional<Reason> ofForgotten(BranchId branch) throws IOException {
        ForgottenRecords known = forgotten();
        Optional<Path> place = known.placeOf(branch);
        if (place.isPresent()) {
            return Optional.of(new Reason("its record "
                    + branch.transaction()
                            .map(uid -> "uid=" + NarayanaUid.text(uid))
                            .orElse("") + " was forgotten by hand, says " + place.get()
                    + ", and may have decided to commit it"));
        }
        return known.isWhole()
                ? Optional.empty()
                : Optional.of(new Reason("more than " + ForgottenRecords.MOST + " records were forgotten by hand, and"
                        + " its record may be among them; lines of " + SettledTrail.FILE_NAME + " in " + directories()
                        + " count, and must stay, so no branch without a record is rolled back any more"));
    }

    private synchronized ForgottenRecords forgotten() throws IOException {
        if (forgotten == null) {
            try {
                forgotten = ForgottenRecords.in(disk, own.stream().toList(), configured);
                listedNanos = clock.nanoTime();
            } catch (IOException unreadable) {
                throw new IOException(
                        "which records were forgotten by hand cannot be read in " + directories() + ": "
                                + unreadable.getMessage(),
                        unreadable);
            }
        }
        return forgotten;
    }

    private static Optional<StateKey> find(ObjectStore store, ObjectId uid, Predicate<String> types) {
        return store.types().stream()
                .filter(types)
                .map(type -> StateKey.of(type, uid))
                .filter(key -> store.statusOf(key) != StateStatus.ABSENT)
                .findFirst();
    }

    private static boolean isImportedGivenUp(String type) {
        return NarayanaRecords.isGivenUp(type) && IMPORTED.stream().anyMatch(type::contains);
    }

    private static String decisionOf(ObjectStore store, StateKey key) {
        return store.read(key)
                .map(state -> " with decision="
                        + LoggedTransaction.of(key, state).decision().label())
                .orElse("");
    }
}
