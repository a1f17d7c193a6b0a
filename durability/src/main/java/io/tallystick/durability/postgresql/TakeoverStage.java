package io.tallystick.durability.postgresql;

import io.tallystick.durability.Counts;
import io.tallystick.durability.postgresql.HeldRequests.Place;
import io.tallystick.durability.postgresql.NodeLog.Opening;
import io.tallystick.durability.stage.Torture;
import io.tallystick.durability.subject.Subject;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A log gets another owner while its owner writes: at full speed, behind a network that stands still, or behind one
 * that loses all answers. Or requests of its owner are held before their first commit, and the next owner must wait for
 * them. Or they are held between their two commits, and cancelled when the next owner has read what they wrote. Some
 * logs have two openings that want them: at the same moment, or one stands still between taking the log and reading
 * it, and the other one takes the log and writes meanwhile. The owners are in this process, so a bug can be planted in
 * them. The network between the servers is slow, so batches take long to commit.
 */
public final class TakeoverStage extends ClusterStage {
    private static final String UNIT = "takeovers";
    private static final String HEIR = "/Heir";
    private static final int LOGS = 3;
    private static final int MAX_LOAD_MILLIS = 80;
    private static final int MAX_DELAY_MILLIS = 6;
    private static final int SOME_LARGE_STATES = 20;
    private static final int LARGE_STATES_UNTIL_DELETED = 90;

    /** Rivals are drawn by themselves, so that a case is the same as without them otherwise. */
    private static final long SEEDS_OF_RIVALS = 1L << 40;

    @Override
    public String name() {
        return "postgresql-takeover";
    }

    @Override
    public String description() {
        return "another owner takes a log in PostgreSQL while batches are under way";
    }

    @Override
    public String unit() {
        return UNIT;
    }

    @Override
    public long quickCount() {
        return 9;
    }

    @Override
    public long fullCount() {
        return 5_000;
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Takeovers(subject, scratch).begin();
    }

    /** The network of the old owner. */
    private enum Network {
        SOUND("network sound"),
        STANDS_STILL("network stands still"),
        LOSES_ANSWERS("answers lost"),
        SOUND_AND_HELD("held before the first commit", Place.BEFORE_FIRST_COMMIT),
        SOUND_AND_CANCELLED("cancelled between two commits", Place.BETWEEN_COMMITS);

        private final String counter;
        // Null where requests are not held.
        private final Place held;

        Network(String counter) {
            this(counter, null);
        }

        Network(String counter, Place held) {
            this.counter = counter;
            this.held = held;
        }

        boolean isSound() {
            return this == SOUND || held != null;
        }
    }

    /** A second opening beside that of the next owner. */
    private enum Rival {
        NONE(""),
        AT_THE_SAME_MOMENT("two openings at the same moment"),
        HELD_BEFORE_READING("opening held before it reads");

        private final String counter;

        Rival(String counter) {
            this.counter = counter;
        }

        /** What is held of the old owner would hold what the next one writes beside its rival. */
        static Rival of(long seed, Network network) {
            int draw = Seeds.random(seed + SEEDS_OF_RIVALS).nextInt(4);
            if (draw == 0) {
                return AT_THE_SAME_MOMENT;
            }
            return draw == 1 && network.held == null ? HELD_BEFORE_READING : NONE;
        }
    }

    /** The next owner of a log, what it found, and its network. */
    private record Heir(ObjectStore store, ContentSnapshot found, FaultyProxy network) {}

    /** A log, and the network of its owner. */
    private static final class Owned {
        private final NodeLog log;
        private FaultyProxy network;

        Owned(NodeLog log, FaultyProxy network) {
            this.log = log;
            this.network = network;
        }
    }

    private static final class Takeovers extends ClusterSession {
        private final Map<Integer, Owned> owned = new HashMap<>();

        Takeovers(Subject subject, Path scratch) {
            super(subject, scratch);
        }

        @Override
        Counts runCase(long seed) throws IOException, InterruptedException {
            HeldRequests.prepare(cluster().primary());
            cluster().betweenServers().delay(Seeds.random(seed).nextInt(MAX_DELAY_MILLIS));
            for (int i = 0; i < LOGS; i++) {
                if (!owned.containsKey(i)) {
                    Owned fresh = new Owned(newLog(), network());
                    fresh.log.open(opening(fresh.network));
                    owned.put(i, fresh);
                }
            }
            HeldRequests.prepareTables(cluster().primary());
            return together(LOGS, number -> takeOver(owned.get(number), seed * LOGS + number));
        }

        private FaultyProxy network() throws IOException {
            return new FaultyProxy(cluster().primary().port());
        }

        private static Opening opening(FaultyProxy network) {
            return Opening.atOnce(PostgresCluster.urlOf(List.of(network.port())));
        }

        private Counts takeOver(Owned owned, long seed) throws IOException, InterruptedException {
            Random random = Seeds.random(seed);
            NodeLog log = owned.log;
            ObjectStore old = log.store();
            Network kind = Network.values()[random.nextInt(Network.values().length)];
            Torture load = log.beginLoad(seed);
            if (random.nextInt(4) == 0) {
                NodeLog.fill(log.watched(), "/Fill", SOME_LARGE_STATES);
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS));
            load.disasterBegins();
            long held = System.nanoTime();
            owned.network.hold(kind == Network.STANDS_STILL, !kind.isSound());
            if (kind == Network.LOSES_ANSWERS) {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS)); // what was sent is written
            }
            Rival rival = Rival.of(seed, kind);
            HeldRequests requests =
                    kind.held == null ? null : HeldRequests.hold(cluster().primary(), log.nodeId(), kind.held);
            Heir heir;
            try {
                if (kind == Network.SOUND_AND_HELD) {
                    requests.letGoWhenAwaitedBy(log.nodeId());
                }
                heir = rival == Rival.NONE ? openAlone(log) : openBeside(rival, log);
                if (kind == Network.SOUND_AND_CANCELLED) {
                    requests.cancel();
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS));
                }
            } finally {
                if (requests != null) {
                    requests.close();
                }
            }
            begin(heir.store, random.nextInt(6) == 0 ? LARGE_STATES_UNTIL_DELETED : 1);
            if (kind == Network.LOSES_ANSWERS) {
                owned.network.cutAll();
            }
            owned.network.hold(false, false);
            Duration stood = Duration.ofNanos(System.nanoTime() - held);
            Counts counts = Counts.of(UNIT, 1).and("operations", load.awaitEnd());
            NodeLog.checkFenced(old, stood);
            NodeLog.clear(heir.store, HEIR);
            NodeLog.abandon(old);
            owned.network.close();
            owned.network = heir.network;
            log.inherit(heir.store, heir.found);
            counts = counts.and(kind.counter, 1);
            return rival == Rival.NONE ? counts : counts.and(rival.counter, 1);
        }

        private Heir openAlone(NodeLog log) throws IOException {
            FaultyProxy network = network();
            ObjectStore store = log.openHeir(opening(network));
            return new Heir(store, ContentSnapshot.of(store), network);
        }

        private Heir openBeside(Rival kind, NodeLog log) throws IOException, InterruptedException {
            FaultyProxy network = network();
            FaultyProxy rivals = network();
            RivalOpening rival = kind == Rival.HELD_BEFORE_READING
                    ? RivalOpening.beginAndHold(cluster().primary(), log, rivals, opening(rivals))
                    : RivalOpening.begin(log, rivals, opening(rivals));
            boolean isRivals = false;
            try {
                Optional<ObjectStore> beside = rival.openBeside(opening(network));
                Optional<ContentSnapshot> found = beside.flatMap(Takeovers::read);
                if (rival.isHeld() && beside.isPresent()) {
                    begin(beside.get(), 1); // the rival must not read this
                }
                rival.letGo();
                ObjectStore winner = rival.winner(beside);
                isRivals = beside.isEmpty() || winner != beside.get();
                if (isRivals) {
                    network.close();
                    return new Heir(winner, ContentSnapshot.of(winner), rivals);
                }
                return new Heir(winner, found.orElseThrow(), network);
            } finally {
                if (!isRivals) {
                    rival.close();
                }
            }
        }

        /** Empty where the rival has taken the log from this opening, which then lists nothing. */
        private static Optional<ContentSnapshot> read(ObjectStore opened) {
            try {
                return Optional.of(ContentSnapshot.of(opened));
            } catch (StoreFencedException overtaken) {
                return Optional.empty();
            }
        }

        private void begin(ObjectStore heir, int states) {
            try {
                NodeLog.fill(heir, HEIR, states);
            } catch (StoreException cannot) {
                throw new AssertionError(
                        "the new owner of the log cannot write: " + cannot.getMessage()
                                + cluster().standing(),
                        cannot);
            }
        }

        @Override
        void forget() throws IOException {
            for (Owned each : owned.values()) {
                each.network.close();
                NodeLog.abandon(each.log.store());
            }
            owned.clear();
        }
    }
}
