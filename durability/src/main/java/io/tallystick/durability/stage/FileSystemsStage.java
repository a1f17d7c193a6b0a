package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.system.Ballast;
import io.tallystick.durability.system.Signals;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A store works on a file system that writes elsewhere what is written again: btrfs, xfs with shared blocks, and
 * overlayfs. In turn its process is killed; a snapshot that was taken under load takes the place of the store; or the
 * file system is filled under load until an overwrite finds no room. Then the store goes on, and the oracle judges.
 * After each case on btrfs all checksums of the file system must be right.
 */
public final class FileSystemsStage implements Stage {
    private static final String CASES = "file system cases";
    private static final int MAX_LOAD_MILLIS = 300;
    private static final int FULL_MILLIS = 250;
    private static final int ROOM_AGAIN_SECONDS = 20;
    private static final int PAUSE_MILLIS = 50;

    private static final StateKey PROBE = StateKey.of("/Probe", ObjectId.of(new byte[] {0, 0, 0, 1, 0, 0, 0, 1}));

    /** What happens to the store. */
    private enum Event {
        KILL,
        SNAPSHOT,
        FULL
    }

    @Override
    public String name() {
        return "filesystems";
    }

    @Override
    public String description() {
        return "btrfs, xfs and overlayfs in turn: kills, snapshots under load, and a file system that fills up";
    }

    @Override
    public String unit() {
        return CASES;
    }

    @Override
    public long quickCount() {
        return 14;
    }

    @Override
    public long fullCount() {
        return 2_000;
    }

    @Override
    public Optional<String> unavailableBecause() {
        return SharedBlocks.available().isEmpty()
                ? Optional.of(String.join("; ", SharedBlocks.limitations()))
                : Optional.empty();
    }

    @Override
    public List<String> limitations() {
        return SharedBlocks.limitations();
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it needs no disk");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return new Living(subject, SharedBlocks.available());
    }

    /** One store on each file system. */
    private static final class Living implements Session {
        private final Subject subject;
        private final List<SharedBlocks.Kind> kinds;
        /** Each store begins elsewhere, so that a build, which has two cases of each, has all of them. */
        private final int offset;

        private final Map<SharedBlocks.Kind, Place> places = new EnumMap<>(SharedBlocks.Kind.class);

        private record Place(SharedBlocks blocks, TorturedStore store) {}

        Living(Subject subject, List<SharedBlocks.Kind> kinds) {
            this.subject = subject;
            this.kinds = kinds;
            this.offset = Math.floorMod(subject.name().hashCode(), kinds.size() * Event.values().length);
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            long turn = seed + offset;
            SharedBlocks.Kind kind = kinds.get((int) (turn % kinds.size()));
            Event event = Event.values()[(int) ((turn + turn / kinds.size()) % Event.values().length)];
            boolean kept = false;
            try {
                Place place = places.get(kind);
                if (place == null) {
                    place = begin(kind);
                }
                long operations = life(place, event, seed);
                kept = true;
                return Counts.of(CASES, 1)
                        .and(kind.toString(), 1)
                        .and(event.name().toLowerCase(Locale.ROOT), 1)
                        .and("operations", operations);
            } catch (AssertionError | RuntimeException broken) {
                throw new AssertionError(kind + " " + event + ": " + broken.getMessage(), broken);
            } finally {
                if (!kept) {
                    endQuietly(places.remove(kind));
                }
            }
        }

        private Place begin(SharedBlocks.Kind kind) throws IOException {
            SharedBlocks blocks = SharedBlocks.make(kind);
            Place place =
                    new Place(blocks, new TorturedStore(subject, blocks.live().resolve("store")));
            places.put(kind, place);
            place.store.open();
            return place;
        }

        private long life(Place place, Event event, long seed) throws IOException, InterruptedException {
            Torture load = place.store.beginLoad(seed);
            TimeUnit.MILLISECONDS.sleep(new Random(seed).nextInt(MAX_LOAD_MILLIS));
            load.disasterBegins();
            switch (event) {
                case KILL -> place.store.kill();
                case SNAPSHOT -> {
                    // What it has answered before it stands still is a promise, and the snapshot must keep it.
                    Signals.send("STOP", place.store.process().process());
                    place.blocks.snapshot();
                    place.store.kill();
                    load.awaitEnd();
                    place.blocks.goOnWithTheSnapshot();
                }
                case FULL -> fill(place, load, seed);
            }
            load.stop();
            long operations = load.awaitEnd();
            place.blocks.checkSums();
            place.store.open();
            return operations;
        }

        private void fill(Place place, Torture load, long seed) throws IOException, InterruptedException {
            Path file = place.blocks.root().resolve("ballast");
            try (Ballast ballast = new Ballast(file)) {
                ballast.leave(0);
                TimeUnit.MILLISECONDS.sleep(FULL_MILLIS);
                load.stop();
                load.awaitEnd();
                if (seed % 2 == 0) {
                    place.store.kill();
                }
                ballast.leaveAll();
            } finally {
                Files.deleteIfExists(file);
            }
            if (seed % 2 != 0) {
                checkThatItWritesAgain(place.store);
                place.store.kill();
            }
        }

        /** A store that has not failed takes writes again, soon after there is room. */
        private static void checkThatItWritesAgain(TorturedStore store) throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ROOM_AGAIN_SECONDS);
            StoreException last = null;
            while (System.nanoTime() < end) {
                try {
                    store.watched().write(PROBE, new byte[] {1, 2, 3}, Durability.FORCED);
                    return;
                } catch (StoreException refused) {
                    if (store.process().failure().isPresent()) {
                        return;
                    }
                    last = refused;
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                }
            }
            throw new AssertionError(
                    "I13 space violated: there is room again, the store has not failed, and refuses writes: " + last,
                    last);
        }

        @Override
        public void close() throws IOException {
            List<Place> all = new ArrayList<>(places.values());
            places.clear();
            for (Place place : all) {
                end(place);
            }
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
                place.blocks.close();
            }
        }
    }
}
