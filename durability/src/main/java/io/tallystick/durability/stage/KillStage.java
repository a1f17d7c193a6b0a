package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A process with a store is killed under load from several threads. The next process opens the same store, until the
 * run ends. The oracle is in this process and records each answer. Every fifth recovery is killed as well. Every eighth
 * life ends with a proper close, so that both kinds of opening are tested.
 */
public final class KillStage implements Stage {
    private static final String KILLS = "kills";
    private static final int MAX_LOAD_MILLIS = 400;

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public String description() {
        return "kill -9 at a random moment under load; the same store goes on in the next process";
    }

    @Override
    public String unit() {
        return KILLS;
    }

    @Override
    public long quickCount() {
        return 7;
    }

    @Override
    public long fullCount() {
        return 20_000;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it promises nothing after a kill");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Killing(subject, scratch);
    }

    /** One store, killed again and again. */
    private static final class Killing implements Session {
        private final Subject subject;
        private final Path scratch;
        private final StoreLaunch launch;
        private TorturedStore store;

        Killing(Subject subject, Path scratch) throws IOException {
            this.subject = subject;
            this.scratch = scratch;
            this.launch = new StoreLaunch(subject, scratch);
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            Random random = new Random(seed);
            boolean kept = false;
            try {
                if (store == null) {
                    store = new TorturedStore(subject, Files.createTempDirectory(scratch, "store-"), launch);
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
            Torture load = store.beginLoad(seed);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_LOAD_MILLIS));
            Counts counts;
            if (seed % 8 == 7) {
                load.stop();
                counts = Counts.of(KILLS, 0).and("operations", load.awaitEnd()).and("closes", 1);
                store.close();
            } else {
                load.disasterBegins();
                store.kill();
                counts = Counts.of(KILLS, 1).and("operations", load.awaitEnd());
            }
            if (seed % 5 == 4) {
                store.openAndKill(random);
                counts = counts.and(KILLS, 1).and("killed recoveries", 1);
            }
            store.open();
            return counts;
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
