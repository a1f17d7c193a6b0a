package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.SoakProcess;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The same store for hours, in one process after another. Three times as many threads as processors commit, and as many
 * compute without end. The process is stopped and continued at random, and its clock leaps forward. It ends by a kill,
 * by a kill while it is stopped, or by a close. Each next process must show every acknowledged state.
 */
public final class SoakStage implements Stage {
    private static final String RESTARTS = "restarts";
    private static final int OVERSUBSCRIPTION = 3;
    private static final int SHORT_LIVES = 2;
    private static final int SHORT_LIFE_MILLIS = 1_000;
    private static final int SHORTEST_MILLIS = 12_000;
    private static final int LONGEST_MILLIS = 58_000;
    private static final int MAX_RUNNING_MILLIS = 1_500;
    private static final int MAX_STOPPED_MILLIS = 600;

    private final int shortLives;

    /** The stage as it is run: the first lives of a store are short. */
    public SoakStage() {
        this(SHORT_LIVES);
    }

    private SoakStage(int shortLives) {
        this.shortLives = shortLives;
    }

    /** The same with short lives only: as many kills as possible in a short time. */
    public static SoakStage ofShortLives() {
        return new SoakStage(Integer.MAX_VALUE);
    }

    @Override
    public String name() {
        return "soak";
    }

    @Override
    public String description() {
        return "hours of load on too few processors, with SIGSTOP, clock steps, kills and closes";
    }

    @Override
    public String unit() {
        return RESTARTS;
    }

    /** Each of the four stores lives twice, for a short time. */
    @Override
    public long quickCount() {
        return 8;
    }

    @Override
    public long fullCount() {
        return 200;
    }

    @Override
    public OptionalInt fullHours() {
        return OptionalInt.of(2);
    }

    @Override
    public List<Subject> subjects() {
        return SubjectCatalog.named(
                List.of("file", "journal-segmented-channel", "journal-segmented-direct", "journal-artemis-channel"));
    }

    @Override
    public boolean toleratesOthers() {
        return false;
    }

    @Override
    public int patienceSeconds() {
        return 300;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it promises nothing after a kill");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return new Soak(subject, scratch, shortLives);
    }

    /** One store and its processes. */
    private static final class Soak implements Session {
        private final Subject subject;
        private final Path scratch;
        private final int shortLives;
        private final int threads = OVERSUBSCRIPTION * Runtime.getRuntime().availableProcessors();
        private TorturedStore store;
        private long clockSeed;
        private int lives;

        Soak(Subject subject, Path scratch, int shortLives) {
            this.subject = subject;
            this.scratch = scratch;
            this.shortLives = shortLives;
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            Random random = new Random(seed);
            boolean kept = false;
            try {
                if (store == null) {
                    Path directory = Files.createTempDirectory(scratch, "store-");
                    store = new TorturedStore(
                            subject,
                            directory,
                            (served, place) -> SoakProcess.command(served, place, clockSeed++, threads));
                    store.open();
                }
                Counts counts = life(random, seed);
                kept = true;
                return counts;
            } finally {
                if (!kept) {
                    close();
                }
            }
        }

        private Counts life(Random random, long seed) throws IOException, InterruptedException {
            int millis = lives++ < shortLives
                    ? SHORT_LIFE_MILLIS
                    : SHORTEST_MILLIS + random.nextInt(LONGEST_MILLIS - SHORTEST_MILLIS);
            Torture load = store.beginLoad(seed, threads);
            long stops = runAndStop(random, millis);
            Counts counts = Counts.of(RESTARTS, 1).and("stops", stops);
            boolean isClosed = seed % 4 == 2;
            if (isClosed) {
                load.stop();
                counts = counts.and("operations", load.awaitEnd()).and("closes", 1);
                store.close();
            } else {
                load.disasterBegins();
                if (random.nextInt(3) == 0) {
                    Signals.send("STOP", store.process().process());
                }
                store.kill();
                counts = counts.and("operations", load.awaitEnd()).and("kills", 1);
            }
            store.open();
            return counts;
        }

        /** Lets the process run and stand still in turns; it runs at the end. */
        private long runAndStop(Random random, int millis) throws IOException, InterruptedException {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            long stops = 0;
            while (System.nanoTime() - end < 0) {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_RUNNING_MILLIS));
                Signals.send("STOP", store.process().process());
                TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_STOPPED_MILLIS));
                Signals.send("CONT", store.process().process());
                stops++;
            }
            return stops;
        }

        @Override
        public void close() {
            if (store != null) {
                store.abandon();
                store = null;
            }
        }
    }
}
