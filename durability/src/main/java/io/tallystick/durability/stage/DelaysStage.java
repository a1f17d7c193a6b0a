package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.delays.DelayAgent;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * As {@link KillStage}, in processes in which {@link DelayAgent} makes threads pause at random places of the store's
 * code. Recoveries pause too. The places of a case follow from its seed.
 */
public final class DelaysStage implements Stage {
    private static final String KILLS = "kills";
    private static final int MAX_LOAD_MILLIS = 1_500;

    @Override
    public String name() {
        return "delays";
    }

    @Override
    public String description() {
        return "kill -9 under load of a process whose threads pause at random places of the store's code";
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
        return 10_000;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        if (!subject.isOurs()) {
            return Optional.of("none of its code is ours");
        }
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it promises nothing after a kill");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Delaying(subject, scratch);
    }

    /** One store, killed again and again. */
    private static final class Delaying implements Session {
        private final Subject subject;
        private final Path scratch;
        private final Path agent;
        private final StoreLaunch launch;
        private TorturedStore store;
        // The places of the next process; it is opened at the end of one case for the load of the next.
        private long delaysSeed;

        Delaying(Subject subject, Path scratch) throws IOException {
            this.subject = subject;
            this.scratch = scratch;
            this.agent = scratch.resolve("delays.jar");
            DelayAgent.writeJar(agent);
            this.launch = new StoreLaunch(subject, scratch);
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            boolean kept = false;
            try {
                if (store == null) {
                    delaysSeed = seed;
                    store = new TorturedStore(
                            subject, Files.createTempDirectory(scratch, "store-"), this::commandWithDelays);
                    store.open();
                }
                Counts counts = life(new Random(seed), seed);
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
            load.disasterBegins();
            store.kill();
            Counts counts = Counts.of(KILLS, 1).and("operations", load.awaitEnd());
            delaysSeed = seed + 1;
            if (seed % 5 == 4) {
                store.openAndKill(random);
                counts = counts.and(KILLS, 1).and("killed recoveries", 1);
            }
            store.open();
            return counts;
        }

        private ProcessBuilder commandWithDelays(Subject ofName, Path directory) {
            ProcessBuilder builder = launch.command(ofName, directory);
            builder.command().add(1, DelayAgent.option(agent, delaysSeed));
            return builder;
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
