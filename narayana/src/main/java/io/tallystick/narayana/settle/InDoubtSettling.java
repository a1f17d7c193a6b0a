package io.tallystick.narayana.settle;

import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.narayana.doubt.WeakIdentities;
import io.tallystick.narayana.drain.ActiveActions;
import io.tallystick.narayana.drain.NarayanaScan;
import io.tallystick.narayana.drain.RecoveryModules;
import io.tallystick.narayana.drain.RecoveryScan;
import io.tallystick.narayana.drain.RecoveryTurn;
import io.tallystick.narayana.logs.ForgetLines;
import io.tallystick.narayana.logs.KeptRecord;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.recover.ForgottenRecords;
import io.tallystick.narayana.recover.RecordsAside;
import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Settles transactions in doubt in the process that owns their log. It is off until {@code tallystick.indoubt.settle}
 * switches it on: see {@link #switchedOn}.
 *
 * <p><b>Who decides.</b> Recovery of this process decides the outcome of branches, and nothing here touches a resource.
 * {@link #retry} starts recovery's next scan at once. {@link #forget} removes a record that recovery does not end, and
 * keeps it aside. It does so as a step of a scan, so recovery works on no record meanwhile. A record is judged there
 * once more, on what the log says at that moment.
 *
 * <p><b>Two operators.</b> One call of this process does something at a time, and a second one waits for it. Then the
 * second one finds no record, and is told.
 *
 * <p>Each deed has a line in {@code settled.log}, which is on disk before the deed, and a line in the log (TALLY0430).
 * State bytes, users and passwords of databases are part of no answer.
 *
 * <p>It holds the log weakly. May be used by any number of threads.
 */
public final class InDoubtSettling {
    /**
     * How long a call waits for others, for its turn, and for its end, each. Then it tells that it was not done, or not
     * ended.
     */
    public static final Duration AT_MOST = Duration.ofSeconds(60);

    private static final System.Logger LOG = System.getLogger(InDoubtSettling.class.getName());
    private static final WeakIdentities<InDoubtSettling> OF_THIS_PROCESS = new WeakIdentities<>();
    private static final int MOST_WHO_CHARACTERS = 100;
    private static final int MOST_UIDS = 20;

    /** Runs an action while recovery does nothing else. */
    interface RecoveryStep {
        RecoveryTurn.Result run(Runnable action, Duration atMost);
    }

    private final WeakReference<ObjectStore> log;
    private final Disk disk;
    private final InstantSource timeOfDay;
    private final Supplier<Predicate<ObjectId>> openNow;
    private final BooleanSupplier isRecovering;
    private final RecoveryStep turn;
    private final RecoveryScan scan;
    private final Duration atMost;
    private final ReentrantLock oneAtATime = new ReentrantLock(true);
    private volatile boolean isOn;
    // Where records and the trail are kept; empty for the store's quarantine.
    private volatile Optional<Path> keepIn = Optional.empty();

    InDoubtSettling(
            ObjectStore log,
            Disk disk,
            InstantSource timeOfDay,
            Supplier<Predicate<ObjectId>> openNow,
            BooleanSupplier isRecovering,
            RecoveryStep turn,
            RecoveryScan scan,
            Duration atMost) {
        this.log = new WeakReference<>(log);
        this.disk = disk;
        this.timeOfDay = timeOfDay;
        this.openNow = openNow;
        this.isRecovering = isRecovering;
        this.turn = turn;
        this.scan = scan;
        this.atMost = atMost;
    }

    private static InDoubtSettling of(ObjectStore log) {
        return OF_THIS_PROCESS.computeIfAbsent(
                log,
                () -> new InDoubtSettling(
                        log,
                        new SystemDisk(),
                        InstantSource.system(),
                        InDoubtSettling::openOrUnknown,
                        InDoubtSettling::hasRecovery,
                        new RecoveryTurn()::run,
                        NarayanaScan.ofThisProcess(),
                        AT_MOST));
    }

    // If Narayana's table cannot be read, every transaction may be open.
    private static Predicate<ObjectId> openOrUnknown() {
        return ActiveActions.count().isPresent() ? ActiveActions.openNow() : id -> true;
    }

    private static boolean hasRecovery() {
        try {
            return !RecoveryModules.present().isEmpty();
        } catch (IllegalStateException stopped) {
            return false;
        }
    }

    /** Lets people settle transactions of this log in this process from now on. */
    public static void switchOn(ObjectStore log, Optional<Path> keepIn) {
        of(log).switchOn(keepIn);
    }

    void switchOn(Optional<Path> directory) {
        keepIn = directory.map(path -> path.toAbsolutePath().normalize());
        isOn = true;
    }

    /** The settling of this log's transactions; empty if it is not switched on. */
    public static Optional<InDoubtSettling> switchedOn(ObjectStore log) {
        InDoubtSettling found = of(log);
        return found.isOn ? Optional.of(found) : Optional.empty();
    }

    /**
     * What is known of a transaction, what {@link #forget} would do, and what may go wrong. Changes nothing.
     *
     * @param uid as Narayana prints it
     * @throws IllegalArgumentException the text is no Uid
     * @throws SettlingRefusedException the log cannot be read
     */
    public String describe(String uid) {
        ObjectId id = idOf(uid);
        try {
            Found found = find(store(), id);
            LoggedTransaction transaction = found.transaction;
            StringBuilder text = new StringBuilder("uid=" + transaction.uid() + " type="
                    + printable(found.key.type()) + " state="
                    + transaction.state().label() + " decision="
                    + transaction.decision().label());
            for (InDoubtParticipant each : transaction.participants()) {
                text.append("\n  participant state=")
                        .append(each.state().label())
                        .append(" resource=")
                        .append(printable(each.resource().orElse("-")));
                each.xid().ifPresent(xid -> text.append(" xid=").append(xid));
            }
            return text.append('\n').append(prospect(found)).toString();
        } catch (StoreException unusable) {
            throw refused(unusable);
        }
    }

    private String prospect(Found found) {
        Optional<String> objection = objection(found);
        return objection.isPresent()
                ? "forget would be refused: " + objection.get()
                : "forget would keep the record in "
                        + place().map(Path::toString).orElse("no directory: set " + StoreOption.INDOUBT_KEEP_IN.key())
                        + ", and remove it from the log; no resource is touched. What may go wrong: a participant may"
                        + " still have a prepared branch, also one that is called heuristic. Recovery leaves such a"
                        + " branch alone afterwards, and it keeps its locks. So audit the node before"
                        + " (io.tallystick.narayana.AuditNode), and settle what it finds. 'tallystick import' brings"
                        + " the record back, while the process is stopped";
    }

    /**
     * Removes the record of a transaction that recovery does not end, and keeps it. Returns what was done.
     *
     * @param uid as Narayana prints it
     * @param isEnded whether an audit has shown that no resource has a branch of the transaction
     * @param reason 1 to 500 printable characters on one line; it stays in the trail
     * @param who the person, 1 to 100 printable characters; it stays in the trail
     * @throws IllegalArgumentException an argument cannot be used
     * @throws SettlingRefusedException it was not done, and why; the record is as it was
     */
    public String forget(String uid, boolean isEnded, String reason, String who) {
        ObjectId id = idOf(uid);
        checkPerson(reason, who);
        return alone(() -> {
            AtomicReference<String> done = new AtomicReference<>();
            RecoveryTurn.Result result = inTurn(() -> done.set(forgetNow(id, isEnded, reason, who)));
            return switch (result) {
                case RUN ->
                    Optional.ofNullable(done.get())
                            .orElseThrow(() -> new SettlingRefusedException("it is not known whether the record uid="
                                    + uid + " was forgotten: look at the record and at " + SettledTrail.FILE_NAME));
                case NO_TURN ->
                    throw new SettlingRefusedException("recovery of this process did not come to it within "
                            + atMost.toSeconds() + " s: it is suspended or stopped, or a scan waits for a resource that"
                            + " gives no answer. Nothing was changed; try again later");
                case INTERRUPTED -> throw new SettlingRefusedException("the call was interrupted. Nothing was changed");
                case NOT_ENDED ->
                    throw new SettlingRefusedException("it has begun and goes on: the disk or the server"
                            + " of the log gives no answer, or the call was interrupted. Look at the record and at "
                            + SettledTrail.FILE_NAME
                            + " before you try again");
            };
        });
    }

    private RecoveryTurn.Result inTurn(Runnable action) {
        try {
            return turn.run(action, atMost);
        } catch (StoreException unusable) {
            throw refused(unusable);
        } catch (UncheckedIOException failed) {
            throw new SettlingRefusedException(
                    "the record or the trail could not be kept, so the record stays in the" + " log: "
                            + failed.getCause(),
                    failed);
        }
    }

    private String forgetNow(ObjectId id, boolean isEnded, String reason, String who) {
        ObjectStore store = store();
        store.proveOwned();
        Found found = find(store, id);
        LoggedTransaction transaction = found.transaction;
        objection(found).ifPresent(why -> {
            throw new SettlingRefusedException(why);
        });
        if (!isEnded) {
            throw new SettlingRefusedException(
                    "a participant of uid=" + transaction.uid() + " may have a branch that is"
                            + " prepared, also one that is heuristic: audit the node"
                            + " (io.tallystick.narayana.AuditNode), and"
                            + " say that all branches have ended. Nothing was changed");
        }
        Instant now = timeOfDay.instant();
        try {
            Path place = placeOrRefusal();
            SettledTrail trail = new SettledTrail(disk, place);
            trail.makeDirectory();
            Path kept = new KeptRecord(disk, place).keep(store.description().store(), "", found.key, found.image, now);
            try (ForgetLines lines = new ForgetLines(timeOfDay, who, values(transaction), reason)) {
                lines.begin(trail, now, kept.getFileName().toString());
                Optional<Path> own = ownPlace().filter(quarantine -> !quarantine.equals(place));
                if (own.isPresent()) {
                    // Recovery looks there, also once the key names another directory.
                    lines.begin(new SettledTrail(disk, own.get()), now, kept.toString());
                }
                // From now on recovery knows the record that is kept, and by the trail its parent: before it goes from
                // the log.
                RecordsAside.of(store).renew();
                checkStill(store, found, kept);
                lines.removing();
                remove(store, found, kept);
                lines.removed();
            }
            String done = "forgotten uid=" + transaction.uid() + " state="
                    + transaction.state().label() + " decision="
                    + transaction.decision().label() + " kept=" + kept;
            tell(who, done, reason);
            return done;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Map<String, String> values(LoggedTransaction transaction) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("action", "forget");
        values.put("uid", transaction.uid());
        values.put("type", transaction.key().type());
        transaction.parent().ifPresent(parent -> values.put("parent", parent.toString()));
        values.put("state", transaction.state().label());
        values.put("decision", transaction.decision().label());
        values.put("branches-ended", "true");
        values.put("online", "true");
        return values;
    }

    /** Recovery stands still, but what else has the store may not. */
    private static void checkStill(ObjectStore store, Found found, Path kept) {
        StateImage there = imageOf(store, found.key);
        boolean isSame = Arrays.equals(there.committed(), found.image.committed())
                && Arrays.equals(there.shadow(), found.image.shadow());
        if (!isSame) {
            throw new SettlingRefusedException("the record uid=" + found.transaction.uid()
                    + " was changed meanwhile, and stays in the log; look at it again. " + kept + " is not needed");
        }
    }

    private static void remove(ObjectStore store, Found found, Path kept) {
        try {
            if (found.image.shadow() != null) {
                store.discardShadow(found.key, Durability.FORCED);
            }
            if (found.image.committed() != null) {
                store.remove(found.key, Durability.FORCED);
            }
        } catch (StoreException failed) {
            throw new SettlingRefusedException(
                    "the record uid=" + found.transaction.uid() + " is kept in " + kept
                            + ", and is perhaps still in the log, which failed: " + failed.messageId() + ' '
                            + failed.getMessage(),
                    failed);
        }
    }

    /**
     * Lets recovery of this process scan now, and returns what has changed. A scan tries each record again and asks
     * each resource that recovery knows; it takes the backoff period of recovery (10 s) at least.
     *
     * @param reason as for {@link #forget}
     * @param who as for {@link #forget}
     * @throws IllegalArgumentException an argument cannot be used
     * @throws SettlingRefusedException the log cannot be read or the trail cannot be written, and no scan was started
     */
    public String retry(String reason, String who) {
        checkPerson(reason, who);
        return alone(() -> {
            try {
                return retryNow(reason, who);
            } catch (StoreException unusable) {
                throw refused(unusable);
            } catch (IOException failed) {
                throw new SettlingRefusedException(
                        "the trail could not be written, so no scan was started: " + failed, failed);
            }
        });
    }

    private String retryNow(String reason, String who) throws IOException {
        ObjectStore store = store();
        store.proveOwned();
        InDoubtLook look = InDoubtLook.of(store);
        Set<String> before = uids(look);
        new SettledTrail(disk, placeOrRefusal()).addLocked(timeOfDay.instant(), who, Map.of("action", "retry"), reason);
        Optional<RecoveryScan.Result> result = scan.run(atMost);
        InDoubtReport after = look.lookNow().orElse(InDoubtReport.EMPTY);
        Set<String> ended = new TreeSet<>(before);
        ended.removeAll(uids(after));
        String done = "scan="
                + result.map(known -> known.problem()
                                .map(problem -> "incomplete (" + problem + ")")
                                .orElse("complete"))
                        .orElse("goes on after " + atMost.toSeconds() + " s: a resource gives no answer, or recovery is"
                                + " suspended")
                + " ended=" + ended.size() + ended.stream().limit(MOST_UIDS).toList() + " left="
                + counts(after) + " unseen=" + after.unseen();
        tell(who, "retried " + done, reason);
        return done;
    }

    private static Set<String> uids(InDoubtLook look) {
        return uids(look.lookNow().orElse(InDoubtReport.EMPTY));
    }

    private static Set<String> uids(InDoubtReport report) {
        return report.transactions().stream().map(each -> each.logged().uid()).collect(Collectors.toSet());
    }

    private static Map<String, Integer> counts(InDoubtReport report) {
        Map<String, Integer> counts = new TreeMap<>();
        report.countByState().forEach((state, count) -> counts.put(state.label(), count));
        return counts;
    }

    /** Why a record must not be forgotten here; empty if it may. */
    private Optional<String> objection(Found found) {
        LoggedTransaction transaction = found.transaction;
        String what =
                "uid=" + transaction.uid() + " state=" + transaction.state().label() + " decision="
                        + transaction.decision().label() + ": ";
        if (openNow.get().test(found.key.id())) {
            return Optional.of(what
                    + "the transaction is open in this process, or that cannot be found out. Nothing was" + " changed");
        }
        if (found.status.isHidden()) {
            return Optional.of(what + "the record is hidden; stop the process and use 'tallystick forget'");
        }
        boolean isGivenUp = false;
        switch (transaction.state()) {
            case GIVEN_UP -> isGivenUp = true;
            case HEURISTIC -> {}
            case UNREADABLE -> {
                return Optional.of(what + "no audit can show that the branches of a record have ended that cannot be"
                        + " read. Start the version of the application that wrote it. Nothing was changed");
            }
            case IN_DOUBT, FINISHED, NOT_DECODED, BOOKKEEPING, OTHER -> {
                return Optional.of(what + "recovery ends it, or it is no transaction's. Only a record that is heuristic"
                        + " or given-up can be forgotten in a running process. Nothing was changed");
            }
        }
        if (isGivenUp && transaction.isImported() && transaction.parent().isEmpty()) {
            return Optional.of(what + "it was imported, and the Xid of its parent cannot be read, so no audit can find"
                    + " its branches. Keep the log, and ask those who wrote the record. Nothing was changed");
        }
        for (InDoubtParticipant each : transaction.participants()) {
            if (each.xid().isEmpty() && !isLra(found.key)) {
                return Optional.of(what + "a participant has no Xid that can be read, so no audit can show that its"
                        + " branch has ended. Nothing was changed");
            }
            if (!isGivenUp && !each.state().isHeuristic()) {
                return Optional.of(what + "the participant "
                        + printable(each.resource().orElse("without a name")) + " is "
                        + each.state().label()
                        + ", and recovery still works on it. Nothing was changed");
            }
        }
        return Optional.empty();
    }

    // No XA resource takes part in one.
    private static boolean isLra(StateKey key) {
        return key.type().contains("/LongRunningAction/");
    }

    private Found find(ObjectStore store, ObjectId id) {
        List<StateKey> keys = store.types().stream()
                .filter(LoggedTransaction::isOf)
                .map(type -> StateKey.of(type, id))
                .filter(key -> store.statusOf(key) != StateStatus.ABSENT)
                .toList();
        if (keys.size() != 1) {
            throw new SettlingRefusedException("the log has "
                    + (keys.isEmpty() ? "no record" : keys.size() + " records")
                    + " uid=" + NarayanaUid.text(id) + ". It may have ended, or another person has settled it: see "
                    + SettledTrail.FILE_NAME
                    + place().map(directory -> " in " + directory).orElse(""));
        }
        StateKey key = keys.get(0);
        StateStatus status = store.statusOf(key);
        StateImage image = imageOf(store, key);
        byte[] state = image.committed() != null ? image.committed() : image.shadow();
        return new Found(key, status, image, LoggedTransaction.of(key, state == null ? new byte[0] : state));
    }

    private static StateImage imageOf(ObjectStore store, StateKey key) {
        return StateImage.of(store.read(key).orElse(null), store.readShadow(key).orElse(null), false);
    }

    /** A record, as the log has it at one moment. */
    private record Found(StateKey key, StateStatus status, StateImage image, LoggedTransaction transaction) {}

    private ObjectStore store() {
        ObjectStore store = log.get();
        if (store == null) {
            throw new SettlingRefusedException("the log is closed");
        }
        return store;
    }

    private Optional<Path> place() {
        return keepIn.or(this::ownPlace);
    }

    /** The quarantine of the log; empty if it lies in no directory. */
    private Optional<Path> ownPlace() {
        return store().description()
                .directory()
                .map(directory ->
                        SettledTrail.directoryIn(directory.toAbsolutePath().normalize()));
    }

    private Path placeOrRefusal() throws IOException {
        Optional<Path> configured = keepIn.filter(path -> !ownPlace().equals(Optional.of(path)));
        if (configured.isPresent() && disk.kindOf(configured.get()) == Disk.PathKind.MISSING) {
            throw new SettlingRefusedException(ForgottenRecords.missing(configured.get()) + ". Nothing was changed");
        }
        return place().orElseThrow(() -> new SettlingRefusedException("the log lies in no directory: set "
                + StoreOption.INDOUBT_KEEP_IN.key() + ", where records and the trail are kept. Nothing was changed"));
    }

    private <T> T alone(Supplier<T> action) {
        try {
            if (!oneAtATime.tryLock(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new SettlingRefusedException("another person settles something in this process, and it has not"
                        + " ended within " + atMost.toSeconds() + " s. Nothing was changed");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new SettlingRefusedException("the call was interrupted. Nothing was changed");
        }
        try {
            checkRecovery();
            return action.get();
        } finally {
            oneAtATime.unlock();
        }
    }

    // Narayana's manager would be made here without its threads, and then it refuses to make one with threads.
    private void checkRecovery() {
        if (!isRecovering.getAsBoolean()) {
            throw new SettlingRefusedException("recovery of this process is not started, or has ended: start it, and"
                    + " try again. Nothing was changed");
        }
    }

    private static ObjectId idOf(String uid) {
        return Optional.ofNullable(uid)
                .flatMap(text -> NarayanaUid.parse(text, ':'))
                .orElseThrow(() -> new IllegalArgumentException(
                        "give a Uid as the list of transactions prints it, such as 0:ffff7f000001:8f3b:6566a5e2:12"));
    }

    private static void checkPerson(String reason, String who) {
        if (reason == null) {
            throw new IllegalArgumentException("the reason is missing; it stays in the trail");
        }
        SettledTrail.checkReason(reason);
        boolean isName = who != null && !who.isBlank() && who.length() <= MOST_WHO_CHARACTERS;
        if (!isName || !who.equals(printable(who))) {
            throw new IllegalArgumentException(
                    "say who does it, in 1 to " + MOST_WHO_CHARACTERS + " printable characters; it stays in the trail");
        }
        SettledTrail.checkUser(who);
    }

    private static SettlingRefusedException refused(StoreException unusable) {
        return new SettlingRefusedException(
                "the log cannot be used: " + unusable.messageId() + ' ' + unusable.getMessage(), unusable);
    }

    private void tell(String who, String done, String reason) {
        LOG.log(
                System.Logger.Level.WARNING,
                "TALLY0430 " + who + " has settled by hand: " + done + "; reason: " + reason);
    }

    private static String printable(String text) {
        return text.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
    }
}
