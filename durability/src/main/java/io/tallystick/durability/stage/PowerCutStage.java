package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.system.LoopVolume;
import io.tallystick.durability.system.LoopVolume.Kind;
import io.tallystick.durability.system.LoopVolume.PowerSwitch;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.testkit.process.StoreProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A store works on a file system of its own, ext4 and xfs in turn, until the file system is shut down without a flush.
 * Answers before the shutdown began are promises. An acknowledgement after the shutdown is a violation. The store must
 * report that it has failed. Then its process is killed, the file system is unmounted and mounted, and the same store
 * goes on.
 */
public final class PowerCutStage implements Stage {
    private static final String CUTS = "power cuts";
    private static final int MAX_LOAD_MILLIS = 300;
    private static final int PROBES = 3;

    /** Rare commits of ext4's journal, so that none hides a missing force; frequent commits; no ordering of data. */
    private static final List<String> EXT4_OPTIONS = List.of("commit=1000", "commit=1", "commit=1000,data=writeback");

    private static final StateKey PROBE = StateKey.of("/Probe", ObjectId.of(new byte[] {0, 0, 0, 1, 0, 0, 0, 1}));

    @Override
    public String name() {
        return "powercut";
    }

    @Override
    public String description() {
        return "the file system of a store under load is shut down without a flush; ext4 and xfs in turn";
    }

    @Override
    public String unit() {
        return CUTS;
    }

    @Override
    public long quickCount() {
        return 9;
    }

    @Override
    public long fullCount() {
        return 6_000;
    }

    @Override
    public Optional<String> unavailableBecause() {
        return LoopVolume.unavailableBecause(Kind.EXT4, Kind.XFS);
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it promises nothing after a power cut");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return new Cutting(subject);
    }

    /** One store on each file system. */
    private static final class Cutting implements Session {
        private final Subject subject;
        private final Map<Kind, Place> places = new EnumMap<>(Kind.class);

        private record Place(LoopVolume volume, TorturedStore store) {}

        Cutting(Subject subject) {
            this.subject = subject;
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            Kind kind = seed % 2 == 0 ? Kind.XFS : Kind.EXT4;
            String options = kind == Kind.XFS ? "defaults" : EXT4_OPTIONS.get((int) (seed / 2 % EXT4_OPTIONS.size()));
            boolean kept = false;
            try {
                Place place = places.get(kind);
                if (place == null) {
                    place = begin(kind, options);
                }
                long operations = cut(place, seed, options);
                kept = true;
                return Counts.of(CUTS, 1).and(kind.toString(), 1).and("operations", operations);
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError(kind + " " + options + ": " + broken.getMessage(), broken);
            } finally {
                if (!kept) {
                    endQuietly(places.remove(kind));
                }
            }
        }

        private Place begin(Kind kind, String options) throws IOException {
            LoopVolume volume = LoopVolume.make(kind);
            Place place = new Place(
                    volume, new TorturedStore(subject, volume.directory().resolve("store")));
            places.put(kind, place);
            volume.mount(options);
            place.store.open();
            return place;
        }

        private long cut(Place place, long seed, String options) throws IOException, InterruptedException {
            TorturedStore store = place.store;
            Torture load;
            try (PowerSwitch power = place.volume.cutPower()) {
                load = store.beginLoad(seed);
                TimeUnit.MILLISECONDS.sleep(new Random(seed).nextInt(MAX_LOAD_MILLIS));
                load.disasterBegins();
                store.process().distrust();
                power.now();
            }
            store.process().trustNewCalls();
            load.stop();
            assertThatNothingIsAcknowledged(store.process(), subject.is(Trait.WHOLE_CONTRACT));
            store.kill();
            long operations = load.awaitEnd();
            place.volume.unmount();
            place.volume.mount(options);
            store.open();
            return operations;
        }

        /**
         * A write that was refused without an effect is not a failure of the store. A write of unknown outcome is a
         * failure, if the store can report failures.
         */
        private static void assertThatNothingIsAcknowledged(StoreProcess process, boolean saysSo) {
            boolean mustHaveFailed = false;
            for (int i = 0; i < (saysSo ? PROBES : 1); i++) {
                try {
                    process.write(PROBE, new byte[] {1, 2, 3}, Durability.FORCED);
                } catch (StoreException told) {
                    if (mustHaveFailed && !(told instanceof StoreFailedException)) {
                        throw new AssertionError(
                                "I5 fail-stop violated: after a write of unknown outcome another throws " + told, told);
                    }
                    mustHaveFailed |= saysSo && told instanceof OutcomeUnknownException;
                    continue;
                }
                throw new AssertionError("I1 durable violated: forced write " + i
                        + " was acknowledged after the power cut, so it cannot be on disk");
            }
            if (mustHaveFailed && process.failure().isEmpty()) {
                throw new AssertionError(
                        "I5 fail-stop violated: a write had an unknown outcome, but the store reports no failure");
            }
        }

        @Override
        public void close() throws IOException {
            for (Place place : places.values()) {
                end(place);
            }
            places.clear();
        }

        /** Ends the store after a violation, which matters more than a failure to end it. */
        private static void endQuietly(Place place) {
            try {
                end(place);
            } catch (IOException left) {
                System.err.println("not removed: " + left.getMessage());
            }
        }

        private static void end(Place place) throws IOException {
            if (place != null) {
                place.store.abandon();
                place.volume.close();
            }
        }
    }
}
