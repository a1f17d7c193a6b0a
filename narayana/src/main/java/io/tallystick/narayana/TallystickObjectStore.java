package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StateStatus;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputBuffer;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.StoreSource.Opened;
import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.narayana.drain.UnprovenBranches;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.recover.OwnRecovery;
import io.tallystick.narayana.recover.RecordsAside;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A Tallystick store as the object store of Narayana, for each of its three roles. To choose it for all of them, set
 *
 * <pre>
 * com.arjuna.ats.arjuna.objectstore.objectStoreType=io.tallystick.narayana.TallystickObjectStore
 * </pre>
 *
 * and {@code tallystick.store} and {@code tallystick.directory}. Without a directory of its own the store lives in the
 * sub-directory {@code TallystickObjectStore} of Narayana's {@code objectStoreDir}.
 *
 * <p><b>Promises.</b> A state is on disk when {@code write_committed}, {@code write_uncommitted}, {@code
 * commit_state}, {@code hide_state} or {@code reveal_state} returns. The key {@code tallystick.remove-durability} says
 * when a removed state is off the disk. All operations work on every store. The answers are those of Narayana's file
 * store, {@code ShadowNoFileLockStore}, with three exceptions. A committed state stays readable while there is an
 * uncommitted one. A hidden state can be removed, and a state that is written to its key stays hidden. A type is listed
 * only as long as it has a state.
 *
 * <p><b>Roles.</b> Adaptors whose configuration names one directory share one store and one space of names, as in
 * Narayana's file store. They must: Narayana's recovery reads from the log the states that were written through the
 * communication store. They do not collide, because a Uid names one object and the type name says which part of
 * Narayana wrote it.
 *
 * <p><b>An old log.</b> A store that serves the log and comes from a configuration is not opened where one of
 * Narayana's own logs holds transactions that the store lacks: recovery would not see them any more. {@code
 * tallystick.on-old-log} changes that.
 *
 * <p><b>Errors.</b> A store that cannot be opened is logged with the reason, because Narayana and frameworks around
 * it drop the exception. Every failure of an operation is an {@link ObjectStoreException} with the {@link
 * StoreException} as its cause. Narayana answers one that {@code write_committed} throws at the end of prepare with a
 * rollback. That is right where nothing was written. Where the cause is an {@link OutcomeUnknownException}, the
 * decision to commit may be on disk nevertheless. Recovery then commits a resource that did not hear of the rollback,
 * against the others. Configure {@code tallystick.on-unknown-outcome=halt} to end the process at that point instead.
 *
 * <p>May be used by any number of threads. The store is opened by {@link #start}, or else by the first operation.
 */
public final class TallystickObjectStore implements ObjectStoreAPI {
    private static final System.Logger LOG = System.getLogger(TallystickObjectStore.class.getName());

    // Recovery begins a scan with the Uids of this type, and nothing else lists them in the ordinary life of a process.
    private static final String SCANNED = NarayanaRecords.ACTIONS + "/TwoPhaseCoordinator/AtomicAction";
    private static final byte[] NULL_UID = Uid.nullUid().getBytes();

    private final StoreSource source;
    private final NarayanaKeys keys = new NarayanaKeys();
    private final FailureLines failureLines = new FailureLines();
    private final ReentrantLock lifecycle = new ReentrantLock();
    // Null while there is no open store; written under the lock, read by every operation.
    private volatile Opened open;
    // Written under the lock. A recovery thread that comes late must not take the directory again; only start() does.
    // It may
    // join.
    private volatile boolean stopped;

    /** The store that the default {@link TallystickStoreEnvironmentBean} describes. */
    public TallystickObjectStore() {
        this(BeanPopulator.getDefaultInstance(TallystickStoreEnvironmentBean.class));
    }

    /**
     * The store that the bean describes; Narayana calls this with the bean of the role. The bean is read when the
     * store is opened.
     */
    public TallystickObjectStore(TallystickStoreEnvironmentBean bean) {
        Objects.requireNonNull(bean, "bean");
        this.source = StoreSource.configured(
                OpenStores.ofThisProcess(),
                () -> StoreSettings.of(bean, BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class)));
    }

    /**
     * This store, which {@link #stop} closes; it cannot be started again. How removals are forced is taken from system
     * properties and the environment.
     */
    public TallystickObjectStore(ObjectStore store) {
        Objects.requireNonNull(store, "store");
        this.source = StoreSource.given(OpenStores.ofThisProcess(), store);
    }

    /** A store from elsewhere. */
    TallystickObjectStore(StoreSource source) {
        this.source = source;
    }

    /**
     * Opens the store, also after {@link #stop}; does nothing while it is open.
     *
     * @throws StoreException it cannot be opened
     * @throws IllegalArgumentException the configuration does not suffice, naming the key
     */
    @Override
    public void start() {
        start(Refusals.ofStores());
    }

    /** The same, with a log of its own for a refusal. */
    void start(Refusals refusals) {
        NarayanaRoles.ofThisProcess().warnIfDivided();
        lifecycle.lock();
        try {
            stopped = false;
            openLocked(refusals);
        } finally {
            lifecycle.unlock();
        }
    }

    /**
     * Gives the store back; it is closed when no other role uses it. A failure of closing is logged. It can lose a
     * removal, which recovery repeats.
     *
     * <p>From now on, until {@link #start}, an operation works on the store of another adaptor of this process with
     * the same directory. While no such store is open, it fails with {@link StoreClosedException}. So Narayana's
     * recovery, which keeps the first adaptor for ever, works after {@code StoreManager.shutdown()} and a new start. A
     * stopped adaptor opens nothing and keeps nothing open.
     */
    @Override
    public void stop() {
        lifecycle.lock();
        try {
            Opened closing = open;
            open = null;
            stopped = true;
            if (closing != null) {
                closing.release().run();
            } else {
                source.close();
            }
        } catch (StoreException failed) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "TALLY0402 the store was closed, but its last removals may not be on disk; recovery will repeat"
                            + " them",
                    failed);
        } finally {
            lifecycle.unlock();
        }
    }

    /** A name for messages and for Narayana to compare; the same for every adaptor. */
    @Override
    public String getStoreName() {
        return StoreSettings.SUB_DIRECTORY;
    }

    /**
     * The store underneath, opened if need be, to read its description and statistics.
     *
     * @throws StoreException it cannot be opened, or this adaptor was stopped and no other one has its directory open
     * @throws IllegalArgumentException the configuration does not suffice, naming the key
     */
    public ObjectStore store() {
        return opened().store();
    }

    /**
     * The transactions that are in doubt in the store underneath, opened if need be.
     *
     * @throws StoreException it cannot be opened, or this adaptor was stopped and no other one has its directory open
     * @throws IllegalArgumentException the configuration does not suffice, naming the key
     */
    public InDoubtLook inDoubt() {
        return opened().inDoubt();
    }

    @Override
    public boolean write_committed(Uid uid, String typeName, OutputObjectState state) throws ObjectStoreException {
        return mutate("write_committed", uid, typeName, (opened, key) -> {
            opened.store().write(key, bytesOf(state), Durability.FORCED);
            return true;
        });
    }

    @Override
    public boolean remove_committed(Uid uid, String typeName) throws ObjectStoreException {
        return mutate("remove_committed", uid, typeName, (opened, key) -> opened.store()
                .remove(key, opened.removals().of(key)));
    }

    /** Returns when every removal that returned before is on disk. */
    @Override
    public void sync() throws ObjectStoreException {
        try {
            opened().store().force();
        } catch (StoreException | IllegalArgumentException failed) {
            throw failure("sync", "all states", failed);
        }
    }

    @Override
    public boolean write_uncommitted(Uid uid, String typeName, OutputObjectState state) throws ObjectStoreException {
        return mutate("write_uncommitted", uid, typeName, (opened, key) -> {
            opened.store().writeShadow(key, bytesOf(state), Durability.FORCED);
            return true;
        });
    }

    @Override
    public InputObjectState read_uncommitted(Uid uid, String typeName) throws ObjectStoreException {
        return look(
                "read_uncommitted",
                uid,
                typeName,
                (opened, key) -> stateOf(uid, typeName, opened.store().readShadow(key)));
    }

    /** Makes the uncommitted state the committed one; true also where there is none, so that recovery may repeat it. */
    @Override
    public boolean commit_state(Uid uid, String typeName) throws ObjectStoreException {
        return mutate("commit_state", uid, typeName, (opened, key) -> {
            opened.store().commitShadow(key, Durability.FORCED);
            return true;
        });
    }

    @Override
    public boolean remove_uncommitted(Uid uid, String typeName) throws ObjectStoreException {
        return mutate("remove_uncommitted", uid, typeName, (opened, key) -> opened.store()
                .discardShadow(key, opened.removals().of(key)));
    }

    /** True: a participant must write its state uncommitted first, and both steps work. */
    @Override
    public boolean fullCommitNeeded() {
        return true;
    }

    @Override
    public InputObjectState read_committed(Uid uid, String typeName) throws ObjectStoreException {
        return look("read_committed", uid, typeName, (opened, key) -> {
            opened.inDoubt().tried(key);
            return stateOf(uid, typeName, opened.store().read(key));
        });
    }

    @Override
    public int currentState(Uid uid, String typeName) throws ObjectStoreException {
        return look("currentState", uid, typeName, (opened, key) -> codeOf(statusOf(opened.store(), key)));
    }

    /**
     * Recovery rolls back a branch that it finds at a resource and not here. So before a record of a transaction is
     * said to be missing, the log is proven to be this process' own, and then asked once more.
     */
    private static io.tallystick.store.StateStatus statusOf(ObjectStore store, StateKey key) {
        io.tallystick.store.StateStatus found = store.statusOf(key);
        if (found != io.tallystick.store.StateStatus.ABSENT || !NarayanaRecords.isWork(key.type())) {
            return found;
        }
        try {
            store.proveOwned();
        } catch (StoreException notOurs) {
            UnprovenBranches.addUnowned(notOurs.getMessage());
            throw notOurs;
        }
        return store.statusOf(key);
    }

    @Override
    public boolean isType(Uid uid, String typeName, int state) throws ObjectStoreException {
        return currentState(uid, typeName) == state;
    }

    @Override
    public boolean hide_state(Uid uid, String typeName) throws ObjectStoreException {
        return mutate(
                "hide_state", uid, typeName, (opened, key) -> opened.store().hide(key));
    }

    @Override
    public boolean reveal_state(Uid uid, String typeName) throws ObjectStoreException {
        return mutate(
                "reveal_state", uid, typeName, (opened, key) -> opened.store().reveal(key));
    }

    @Override
    public boolean allObjUids(String typeName, InputObjectState found) throws ObjectStoreException {
        return allObjUids(typeName, found, StateStatus.OS_UNKNOWN);
    }

    /**
     * Packs the Uids of the type whose state is {@code match}, or of any state for OS_UNKNOWN, and the null Uid. A
     * name without an element, such as {@code /}, or none, is a type without a state.
     */
    @Override
    public boolean allObjUids(String typeName, InputObjectState found, int match) throws ObjectStoreException {
        OutputBuffer uids = new OutputBuffer();
        try {
            checkPlace(found);
            Opened opened = opened();
            ObjectStore store = opened.store();
            String type = NarayanaKeys.isRoot(typeName) ? "" : keys.type(typeName);
            if (OwnRecovery.isListedByAScan(type)) {
                OwnRecovery.scanBegins(RecordsAside.of(store), TallystickObjectStore::asideOfRecovery);
            }
            if (type.equals(SCANNED)) {
                opened.inDoubt().scanBegins();
            }
            for (StateKey key : NarayanaKeys.isRoot(typeName) ? Set.<StateKey>of() : store.keys(keys.type(typeName))) {
                if (match == StateStatus.OS_UNKNOWN || match == codeOf(store.statusOf(key))) {
                    packUid(key, uids);
                }
            }
            uids.packBytes(NULL_UID);
        } catch (StoreException | IllegalArgumentException | IOException failed) {
            throw failure("allObjUids", printable(typeName), failed);
        }
        found.setBuffer(uids.buffer());
        return true;
    }

    // Narayana's own filter asks this store, too.
    private static Optional<RecordsAside> asideOfRecovery() {
        return StoreManager.getRecoveryStore() instanceof TallystickObjectStore log
                ? Optional.of(RecordsAside.of(log.store()))
                : Optional.empty();
    }

    /** Packs the type names that have a state, and their parents, without the first slash, and the empty name. */
    @Override
    public boolean allTypes(InputObjectState found) throws ObjectStoreException {
        OutputBuffer names = new OutputBuffer();
        try {
            checkPlace(found);
            for (String name : withParents(opened().store().types())) {
                names.packString(name);
            }
            names.packString("");
        } catch (StoreException | IllegalArgumentException | IOException failed) {
            throw failure("allTypes", "all types", failed);
        }
        found.setBuffer(names.buffer());
        return true;
    }

    /** Whether the last call was to {@link #stop}. */
    boolean isStopped() {
        return stopped;
    }

    /** The store, if this adaptor has one open. Opens none. */
    Optional<ObjectStore> openStore() {
        return Optional.ofNullable(open).map(Opened::store);
    }

    private Opened opened() {
        Opened opened = open;
        return opened != null ? opened : openFirst();
    }

    private Opened openFirst() {
        lifecycle.lock();
        try {
            return stopped
                    ? source.join().orElseThrow(TallystickObjectStore::wasStopped)
                    : openLocked(Refusals.ofStores());
        } finally {
            lifecycle.unlock();
        }
    }

    private static StoreClosedException wasStopped() {
        return new StoreClosedException(
                "the object store was stopped, and no other adaptor of this process has its directory"
                        + " open; call start() to open it again");
    }

    private Opened openLocked(Refusals refusals) {
        Opened opened = open;
        if (opened == null) {
            opened = refusals.tellingOf(source::open);
            open = opened;
            NarayanaNode.warnOfForeignNodes();
        }
        return opened;
    }

    private boolean mutate(String operation, Uid uid, String typeName, Operation<Boolean> action)
            throws ObjectStoreException {
        try {
            return mutated(opened(), keys.key(uid, typeName), action);
        } catch (OutcomeUnknownException unknown) {
            failureLines.unknown(
                    "TALLY0401 " + operation + " of " + shown(uid, typeName) + " may or may not be on disk."
                            + " Narayana rolls back a transaction whose log record it could not write; if this was one,"
                            + " see that all its resources have rolled back before recovery runs, which would commit"
                            + " them. tallystick.on-unknown-outcome=halt ends the process here instead",
                    unknown);
            throw failure(operation, shown(uid, typeName), unknown);
        } catch (StoreException | IllegalArgumentException refused) {
            // Narayana drops the exception of a log record that could not be written, and with it the reason.
            failureLines.refused(
                    "TALLY0403 " + operation + " of " + shown(uid, typeName) + " had no effect: "
                            + refused.getMessage(),
                    refused);
            throw failure(operation, shown(uid, typeName), refused);
        }
    }

    private static boolean mutated(Opened opened, StateKey key, Operation<Boolean> action) {
        try {
            return action.on(opened, key);
        } finally {
            opened.inDoubt().written(key);
        }
    }

    private <T> T look(String operation, Uid uid, String typeName, Operation<T> action) throws ObjectStoreException {
        try {
            return action.on(opened(), keys.key(uid, typeName));
        } catch (StoreException | IllegalArgumentException failed) {
            throw failure(operation, shown(uid, typeName), failed);
        }
    }

    private static ObjectStoreException failure(String operation, String what, Exception cause) {
        return new ObjectStoreException(operation + " of " + what + " failed: " + cause.getMessage(), cause);
    }

    private static String shown(Uid uid, String typeName) {
        return printable(typeName) + ' ' + uid;
    }

    private static String printable(String typeName) {
        return typeName == null ? "no type" : typeName.replaceAll("\\p{C}", "?");
    }

    private static void checkPlace(InputObjectState found) {
        if (found == null) {
            throw new IllegalArgumentException("the state for the answer is null");
        }
    }

    private static byte[] bytesOf(OutputObjectState state) {
        if (state == null) {
            throw new IllegalArgumentException("the state is null");
        }
        return state.buffer();
    }

    private static InputObjectState stateOf(Uid uid, String typeName, Optional<byte[]> bytes) {
        return bytes.isPresent() ? new InputObjectState(uid, typeName, bytes.get()) : null;
    }

    private static int codeOf(io.tallystick.store.StateStatus status) {
        return switch (status) {
            case ABSENT -> StateStatus.OS_UNKNOWN;
            case COMMITTED -> StateStatus.OS_COMMITTED;
            case SHADOW -> StateStatus.OS_UNCOMMITTED;
            case COMMITTED_HIDDEN -> StateStatus.OS_COMMITTED_HIDDEN;
            case SHADOW_HIDDEN -> StateStatus.OS_UNCOMMITTED_HIDDEN;
        };
    }

    private static void packUid(StateKey key, OutputBuffer uids) throws IOException {
        byte[] bytes = key.id().toBytes();
        if (bytes.length != NarayanaKeys.UID_BYTES || Arrays.equals(bytes, NULL_UID)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0404 " + key.toPrintable() + " is left out of a scan: its id is not the "
                            + NarayanaKeys.UID_BYTES + " bytes of a Uid, or it is the null Uid, which ends every scan");
            return;
        }
        uids.packBytes(bytes);
    }

    private static Set<String> withParents(Set<String> types) {
        Set<String> names = new LinkedHashSet<>();
        for (String type : new TreeSet<>(types)) {
            for (int slash = type.indexOf('/', 1); slash > 0; slash = type.indexOf('/', slash + 1)) {
                names.add(type.substring(1, slash));
            }
            names.add(type.substring(1));
        }
        return names;
    }

    private interface Operation<T> {
        T on(Opened opened, StateKey key);
    }

    /**
     * The lines about operations that failed. A store that has failed refuses every operation with one reason, perhaps
     * thousands a second: the first refusal is told, and then one in ten seconds, with the number of the others. Each
     * write with an unknown outcome is told, because a person may have to look for its transaction. Only the first one
     * of a failure has a stack: that of the failure was logged when the store failed.
     */
    private static final class FailureLines {
        private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

        // Held for a moment, and not while a line is logged.
        private final ReentrantLock lock = new ReentrantLock();
        private Throwable refusing;
        private long toldAt;
        private long leftOut;
        private Throwable failing;

        void refused(String line, Exception refusal) {
            boolean hasFailed = refusal instanceof StoreFailedException || refusal instanceof StoreFencedException;
            long others = hasFailed ? othersThan(refusal) : 0;
            if (others >= 0) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        others == 0
                                ? line
                                : line + " (" + others + " more were refused since the last such line, for the same"
                                        + " reason)");
            }
        }

        /** How many refusals for this reason were left out before; -1 if this one is to be left out too. */
        private long othersThan(Exception refusal) {
            Throwable reason = refusal.getCause();
            long now = NanoClock.SYSTEM.nanoTime();
            lock.lock();
            try {
                boolean isKnown = reason != null && reason == refusing;
                if (isKnown && now - toldAt < PAUSE_NANOS) {
                    leftOut++;
                    return -1;
                }
                long others = isKnown ? leftOut : 0;
                refusing = reason;
                toldAt = now;
                leftOut = 0;
                return others;
            } finally {
                lock.unlock();
            }
        }

        void unknown(String line, OutcomeUnknownException unknown) {
            Throwable reason = unknown.getCause();
            boolean isFirst;
            lock.lock();
            try {
                isFirst = reason == null || reason != failing;
                failing = reason;
            } finally {
                lock.unlock();
            }
            LOG.log(
                    System.Logger.Level.ERROR,
                    isFirst ? line : line + ": " + unknown.getMessage(),
                    isFirst ? unknown : null);
        }
    }
}
