package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.scenario.RecordFuzz;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.disk.FileDamage;
import io.tallystick.testkit.disk.FileDamage.Kind;
import io.tallystick.testkit.oracle.StoreWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiConsumer;

/**
 * The files of a small closed store are damaged, in one of many ways, and judged by {@link DamageJudge}. Journals'
 * record decoder is fed with damaged and forged records as well.
 */
public final class CorruptionStage implements Stage {
    private static final String INPUTS = "inputs";
    private static final String STORES = "damaged stores";
    private static final int STEPS = 40;
    private static final int ROUNDS = 24;
    private static final int RANDOM_A_CASE = 16;
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
        return new Damaging(subject, ScratchStore.of(subject, scratch));
    }

    /** Many damages of one store, and then of the next. */
    private static final class Damaging implements Session {
        private final Subject subject;
        private final ScratchStore scratchStore;
        private final DamageJudge judge;

        Damaging(Subject subject, ScratchStore scratchStore) {
            this.subject = subject;
            this.scratchStore = scratchStore;
            this.judge = new DamageJudge(scratchStore);
        }

        @Override
        public Counts run(long seed) throws Exception {
            scratchStore.replace(Map.of());
            live(seed);
            Map<String, byte[]> earlier = scratchStore.files();
            // What the closing left must suffice to notice damage, and so must what an opening without a write left.
            StoreContent content = live(seed + 1);
            if (content.isEmpty()) {
                return Counts.of("empty stores", 1);
            }
            if (seed % 2 == 0) {
                scratchStore.open().close();
            }
            Map<String, byte[]> files = scratchStore.files();
            Random random = Seeds.random(seed);
            List<FileDamage> damages = damages(files, earlier, random);
            for (int i = 0; i < damages.size(); i++) {
                if (i % 4 == 0) {
                    judge.judgeInUse(damages.get(i), content, workload(0));
                } else {
                    judge.judge(damages.get(i), content);
                }
            }
            Counts counts = Counts.of(INPUTS, damages.size()).and(STORES, damages.size());
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
         * Whole files that are gone, or of another day, are known by what other files say of them, if any do: a store
         * that is one file for each key has none. In the others each file has its turn in each case, and in all stores
         * the last byte of each, which nothing behind it in the file can vouch for.
         */
        private List<FileDamage> damages(Map<String, byte[]> files, Map<String, byte[]> earlier, Random random) {
            List<Kind> kinds = new ArrayList<>(EnumSet.complementOf(EnumSet.of(Kind.STALE, Kind.MISSING)));
            List<FileDamage> damages = new ArrayList<>();
            for (int i = 0; i < RANDOM_A_CASE; i++) {
                damages.add(FileDamage.random(files, earlier, kinds.get(random.nextInt(kinds.size())), random));
            }
            for (String name : files.keySet()) {
                damages.add(FileDamage.lastInUse(files, name));
            }
            if (subject.name().startsWith("journal-")) {
                for (Map.Entry<String, byte[]> file : files.entrySet()) {
                    damages.add(FileDamage.missing(files, file.getKey()));
                    byte[] before = earlier.get(file.getKey());
                    if (before != null && !Arrays.equals(before, file.getValue())) {
                        damages.add(FileDamage.stale(files, file.getKey(), before));
                    }
                }
            }
            return damages;
        }

        /** Answers what is in the store in the end. */
        private StoreContent live(long seed) {
            try (ObjectStore store = scratchStore.open()) {
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
