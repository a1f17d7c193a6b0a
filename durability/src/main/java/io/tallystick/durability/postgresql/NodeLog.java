package io.tallystick.durability.postgresql;

import io.tallystick.durability.stage.Torture;
import io.tallystick.durability.subject.PostgresSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectProcess;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import io.tallystick.testkit.oracle.Oracle;
import io.tallystick.testkit.process.StoreProcess;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The log of a node, all that was promised of it, and the store that owns it now: in this process, or in one of its
 * own.
 */
final class NodeLog {
    /** The shortest that the store takes. */
    static final Duration LEASE = Duration.ofSeconds(2);

    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int FILL_KEYS = 3;
    private static final int LARGE_STATE = 256 << 10;
    private static final int FENCED_SECONDS = 20;
    private static final int POLL_MILLIS = 10;

    private final Subject subject;
    private final String nodeId;
    private final Path directory;
    private final Oracle oracle = new Oracle();
    private final AtomicInteger places = new AtomicInteger(); // two openings may begin at the same time
    private ObjectStore store;
    private ObjectStore watched;

    NodeLog(Subject subject, String nodeId, Path directory) {
        this.subject = subject;
        this.nodeId = nodeId;
        this.directory = directory;
    }

    String nodeId() {
        return nodeId;
    }

    /** How the log is opened. */
    record Opening(String url, Takeover takeover, Duration patience, boolean isReplicationRequired) {
        static Opening atOnce(String url) {
            return new Opening(url, Takeover.AT_ONCE, PATIENCE, true);
        }

        static Opening afterLease(String url) {
            return new Opening(url, Takeover.AFTER_LEASE, PATIENCE, true);
        }

        Opening withPatience(Duration other) {
            return new Opening(url, takeover, other, isReplicationRequired);
        }

        Opening withoutReplication() {
            return new Opening(url, takeover, patience, false);
        }
    }

    /** Opens the log here, and checks its states. */
    void open(Opening how) throws IOException {
        own(subject.open(place(how)));
    }

    /** Opens the log in a process of its own, and checks its states. */
    void openElsewhere(Opening how) throws IOException {
        own(SubjectProcess.start(subject, place(how)));
    }

    /** Opens the log here for another owner, and checks nothing. */
    ObjectStore openHeir(Opening how) throws IOException {
        return subject.open(place(how));
    }

    /** Opens the log in a process of its own for another owner, and checks nothing. */
    StoreProcess openHeirElsewhere(Opening how) throws IOException {
        return SubjectProcess.start(subject, place(how));
    }

    private void own(ObjectStore opened) {
        store = opened;
        oracle.checkRecovered(store);
        watched = oracle.watch(store);
        oracle.revealAll(watched);
    }

    /**
     * The owner before has ended, and this store has owned the log since.
     *
     * @param found what it found when it took the log
     * @throws AssertionError it did not find what was promised
     */
    void inherit(ObjectStore heir, ContentSnapshot found) {
        oracle.checkRecovered(found.store());
        store = heir;
        watched = oracle.watch(store);
        oracle.revealAll(watched);
    }

    /**
     * Has another owner take the log, which was not closed, so that what it finds was on the servers. The store before
     * is left without a check.
     *
     * @throws AssertionError it does not find what was promised
     */
    void passOn(Opening how) throws IOException {
        ObjectStore heir = openHeir(how);
        ContentSnapshot found = ContentSnapshot.of(heir);
        abandon(store);
        inherit(heir, found);
    }

    /** @throws AssertionError the store has failed, and nothing has happened that lets it */
    void checkWorks() {
        if (store.failure().isPresent()) {
            throw new AssertionError("the store failed without cause: " + store.failure());
        }
    }

    /** The store that owns the log. */
    ObjectStore store() {
        return store;
    }

    /** The same; the oracle sees every call. */
    ObjectStore watched() {
        return watched;
    }

    Torture beginLoad(long seed) {
        return Torture.begin(subject, watched, seed);
    }

    /** Writes so many large states of this type, of which few live. */
    static void fill(ObjectStore store, String type, int count) {
        for (int i = 0; i < count; i++) {
            byte[] state = new byte[LARGE_STATE - i];
            store.write(fillKey(type, i), state, Durability.FORCED);
        }
    }

    /** Removes what {@link #fill} has left of this type. */
    static void clear(ObjectStore store, String type) {
        for (int i = 0; i < FILL_KEYS; i++) {
            store.remove(fillKey(type, i), Durability.FORCED);
        }
    }

    private static StateKey fillKey(String type, int number) {
        return StateKey.of(
                type,
                ObjectId.of(
                        ByteBuffer.allocate(8).putLong(1 + number % FILL_KEYS).array()));
    }

    /**
     * Checks that a store learns that it was replaced, and takes nothing any more.
     *
     * @param stood how long the store stood still; after its patience it may fail without having asked
     * @throws AssertionError it goes on
     */
    static void checkFenced(ObjectStore old, Duration stood) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(FENCED_SECONDS);
        Optional<StoreException> failure = old.failure();
        while (failure.isEmpty() && System.nanoTime() < deadlineNanos) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            failure = old.failure();
        }
        if (failure.isEmpty()) {
            throw new AssertionError(
                    "fence violated: " + FENCED_SECONDS + " s after a takeover the old owner has not failed");
        }
        boolean isTold = stood.compareTo(PATIENCE) >= 0
                || failure.get() instanceof StoreFencedException
                || String.valueOf(failure.get().getMessage()).contains("another owner has taken the log");
        if (!isTold) {
            throw new AssertionError("the old owner was not told of the takeover, but: " + failure.get());
        }
        try {
            fill(old, "/Late", 1);
        } catch (OutcomeUnknownException wrong) {
            throw new AssertionError("a store that has failed does not know whether it has written", wrong);
        } catch (StoreException refused) {
            return;
        }
        throw new AssertionError("fence violated: the old owner acknowledged a write");
    }

    /** Closes the store properly. */
    void close() {
        watched.close();
    }

    /** Ends a store without a check. */
    static void abandon(ObjectStore store) {
        try {
            if (store instanceof StoreProcess process) {
                process.kill();
            } else if (store != null) {
                store.close();
            }
        } catch (AssertionError | StoreException alreadyTold) {
            // the caller has looked at what it says
        }
    }

    private Path place(Opening how) throws IOException {
        Path place = Files.createDirectories(directory.resolve(nodeId + "-" + places.incrementAndGet()));
        Properties settings = new Properties();
        settings.setProperty(StoreOption.NODE_ID.key(), nodeId);
        write(place, settings, how);
        return place;
    }

    /** Writes the settings of stores in this directory and below. */
    static void write(Path place, Properties settings, Opening how) throws IOException {
        settings.setProperty(StoreOption.STORE.key(), "postgresql");
        settings.setProperty(StoreOption.POSTGRESQL_URL.key(), how.url());
        settings.setProperty(StoreOption.POSTGRESQL_CREATE_TABLES.key(), "true");
        settings.setProperty(StoreOption.MAX_STATE_SIZE.key(), "1MiB");
        settings.setProperty(StoreOption.LEASE.key(), LEASE.toSeconds() + "s");
        settings.setProperty(StoreOption.PATIENCE.key(), how.patience().toSeconds() + "s");
        settings.setProperty(StoreOption.REQUIRE_REPLICATION.key(), how.isReplicationRequired() ? "standby" : "none");
        settings.setProperty(
                StoreOption.TAKEOVER.key(), how.takeover() == Takeover.AT_ONCE ? "at-once" : "after-lease");
        try (Writer file = Files.newBufferedWriter(place.resolve(PostgresSubject.SETTINGS))) {
            settings.store(file, null);
        }
    }
}
