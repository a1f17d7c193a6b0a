package io.tallystick.durability.ring;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Narayana moves amounts between three accounts, each a resource manager of its own, with the store as its log. The
 * process is killed while one of its threads stands at a chosen step of a transaction, or at a random moment. Sometimes
 * it is killed once more while it recovers. After recovery each transaction must be committed in all accounts or in
 * none. Every transaction that was reported as committed must be committed, and the sum of the balances must not
 * change.
 */
public final class RingStage implements Stage {
    private static final String KILLS = "2PC kills";
    private static final int MAX_TRANSACTIONS = 40;
    private static final int MAX_LOAD_MILLIS = 600;
    private static final int PATIENCE_SECONDS = 60;

    private static final String ANY_MOMENT = "any moment";
    private static final List<String> PHASES = List.of(
            "before prepare", "after prepare", "before commit", "after commit", "after transaction", ANY_MOMENT);
    private static final List<String> RECOVERY_PHASES = List.of("before commit", "after commit", "before rollback");

    @Override
    public String name() {
        return "ring";
    }

    @Override
    public String description() {
        return "kill -9 in every phase of two-phase commits through Narayana over three accounts";
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
        return 5_000;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it promises nothing after a kill");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return new Ring(subject, scratch);
    }

    /** The accounts over one log, in one process after another. */
    private static final class Ring implements Session {
        private final Subject subject;
        private final Path scratch;
        private Path directory;
        private Teller teller;

        Ring(Subject subject, Path scratch) {
            this.subject = subject;
            this.scratch = scratch;
        }

        @Override
        public Counts run(long seed) throws IOException, InterruptedException {
            Random random = new Random(seed);
            String phase = PHASES.get((int) (seed % PHASES.size()));
            boolean kept = false;
            try {
                if (directory == null) {
                    directory = Files.createTempDirectory(scratch, "ring-");
                    teller = start("", 0);
                    awaitRecovery();
                }
                Counts counts = kill(random, phase);
                kept = true;
                return counts;
            } catch (AssertionError broken) {
                throw new AssertionError("kill " + phase + ": " + broken.getMessage(), broken);
            } finally {
                if (!kept) {
                    close();
                    directory = null;
                }
            }
        }

        private Counts kill(Random random, String phase) throws IOException, InterruptedException {
            teller.hear((3 + random.nextInt(MAX_TRANSACTIONS)) + " " + phase);
            boolean atAnyMoment = phase.equals(ANY_MOMENT);
            Optional<String> said = teller.next(
                    atAnyMoment ? random.nextInt(MAX_LOAD_MILLIS) : TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            Set<String> committed = teller.kill();
            if (said.isPresent() && said.get().startsWith(RingProcess.BROKEN)) {
                throw new AssertionError("a transaction failed without cause: " + said.get());
            }
            Counts counts = Counts.of(KILLS, 1).and("transactions", committed.size());
            // Recovery dies too, if it comes so far.
            teller = start(RECOVERY_PHASES.get(random.nextInt(RECOVERY_PHASES.size())), 1);
            if (!awaitRecovery()) {
                counts = counts.and("killed recoveries", 1);
                teller.kill();
                teller = start("", 0);
                awaitRecovery();
            }
            RingProcess.accounts(directory).check(committed);
            return counts;
        }

        private Teller start(String phase, int times) throws IOException {
            return new Teller(SubjectProcess.command(
                            RingProcess.class,
                            RingProcess.properties(directory),
                            List.of(subject.name(), directory.toString(), phase, String.valueOf(times)))
                    .start());
        }

        /** Whether it has recovered, and does not stand in a phase of its recovery. */
        private boolean awaitRecovery() throws InterruptedException {
            String said = teller.next(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS))
                    .orElseThrow(() -> new AssertionError("recovery does not end"));
            if (said.startsWith(RingProcess.RECOVERED)) {
                if (!Teller.rest(said).equals("0")) {
                    throw new AssertionError(
                            "I14 atomic 2PC violated: records left in the log after recovery=" + Teller.rest(said));
                }
                return true;
            }
            if (said.equals(Teller.ENDED)) {
                throw new AssertionError("the process ended before it had recovered");
            }
            return false;
        }

        @Override
        public void close() {
            if (teller != null) {
                teller.abandon();
                teller = null;
            }
        }
    }
}
