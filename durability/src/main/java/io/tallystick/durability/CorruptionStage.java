package io.tallystick.durability;

import io.tallystick.durability.Subject.Trait;
import io.tallystick.durability.scenario.RecordFuzz;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.FileDamage;
import io.tallystick.testkit.FileDamage.Kind;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.StoreWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The files of a small closed store are damaged, in one of many ways, and judged by {@link DamageJudge}. Journals' record
 * decoder is fed with damaged and forged records as well.
 */
final class CorruptionStage implements Stage {
    private static final String INPUTS = "inputs";
    private static final String STORES = "damaged stores";
    private static final int STEPS = 40;
    private static final int ROUNDS = 24;
    private static final int STORES_A_CASE = 25;
    private static final int RECORDS_A_CASE = 2_500;

    @Override
    public String name() {
        return "corruption";
    }

    @Override
    public String description() {
        return "bits, tails, blocks and lengths of a closed store are damaged; it notices, or it does not matter";
    }

    @Override
    public String unit() {
        return INPUTS;
    }

    @Override
    public long quickCount() {
        return 100_000;
    }

    @Override
    public long fullCount() {
        return 100_000_000;
    }

    /** Records are decoded a thousand times faster than stores are opened. */
    @Override
    public int weight(Subject subject) {
        return subject.name().startsWith("journal-") ? 20 : 1;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        if (!subject.is(Trait.DURABLE)) {
            return Optional.of("it has no files");
        }
        return subject.isOurs() && !subject.is(Trait.ANY_DISK)
                ? Optional.of("its files are those of the same engine over channel and direct")
                : Optional.empty();
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        return new Damaging(subject, Ground.of(subject, scratch));
    }

    /** Many damages of one store, and then of the next. */
    private static final class Damaging implements Session {
        private final Subject subject;
        private final Ground ground;
        private final DamageJudge judge;

        Damaging(Subject subject, Ground ground) {
            this.subject = subject;
            this.ground = ground;
            this.judge = new DamageJudge(ground);
        }

        @Override
        public Counts run(long seed) throws Exception {
            ground.replace(Map.of());
            live(seed);
            Map<String, byte[]> earlier = ground.files();
            // What the closing left must suffice to notice damage, and so must what an opening without a write left.
            StoreContent content = live(seed + 1);
            if (content.isEmpty()) {
                return Counts.of("empty stores", 1);
            }
            if (seed % 2 == 0) {
                ground.open().close();
            }
            Map<String, byte[]> files = ground.files();
            Random random = Seeds.random(seed);
            List<Kind> kinds = kinds();
            for (int i = 0; i < STORES_A_CASE; i++) {
                Kind kind = kinds.get(random.nextInt(kinds.size()));
                FileDamage damage = FileDamage.random(files, earlier, kind, random);
                if (i % 4 == 0) {
                    judge.judgeInUse(damage, content, workload(0));
                } else {
                    judge.judge(damage, content);
                }
            }
            Counts counts = Counts.of(INPUTS, STORES_A_CASE).and(STORES, STORES_A_CASE);
            if (subject.name().startsWith("journal-")) {
                recordFuzz().accept(random, RECORDS_A_CASE);
                counts = counts.and(INPUTS, RECORDS_A_CASE).and("decoder inputs", RECORDS_A_CASE);
            }
            return counts;
        }

        /** Of the classes of the store, which may not be those of this class. */
        @SuppressWarnings("unchecked")
        private BiConsumer<Random, Integer> recordFuzz() throws ReflectiveOperationException {
            if (!(subject instanceof PlantedSubject planted)) {
                return new RecordFuzz();
            }
            return (BiConsumer<Random, Integer>) planted.classes()
                    .loadClass(RecordFuzz.class.getName())
                    .getConstructor()
                    .newInstance();
        }

        /**
         * Whole files that are gone, or of another day, are known by what other files say of them, if any do: a store that
         * is one file for each key has none, and an Artemis journal of one file neither.
         */
        private List<Kind> kinds() {
            Set<Kind> kinds = EnumSet.allOf(Kind.class);
            if (!subject.name().startsWith("journal-segmented")) {
                kinds.remove(Kind.STALE);
            }
            if (!subject.name().startsWith("journal-")) {
                kinds.remove(Kind.MISSING);
            }
            return new ArrayList<>(kinds);
        }

        /** Answers what is in the store in the end. */
        private StoreContent live(long seed) {
            try (ObjectStore store = ground.open()) {
                workload(seed).run(store);
                return StoreContent.of(store);
            }
        }

        private StoreWorkload workload(long seed) {
            if (!subject.is(Trait.WHOLE_CONTRACT)) {
                return StoreWorkload.overwrites(seed, STEPS);
            }
            return seed % 3 == 2 ? StoreWorkload.churn(seed, ROUNDS) : StoreWorkload.history(seed, STEPS);
        }
    }
}
