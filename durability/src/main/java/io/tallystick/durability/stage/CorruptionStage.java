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
 * Damages the files of a small closed store in one of many ways; {@link DamagedStoreCheck} checks the result. The
 * record decoder of journals gets damaged and forged records as well.
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
        return "bits, tails, blocks and lengths of a closed store are damaged; the store reports it, or no"
                + " state changes";
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

    /** Decoding a record is a thousand times faster than opening a store. */
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

    /** Many cases of damage to one store, and then to the next. */
    private static final class Damaging implements Session {
        private final Subject subject;
        private final ScratchStore scratchStore;
        private final DamagedStoreCheck check;

        Damaging(Subject subject, ScratchStore scratchStore) {
            this.subject = subject;
            this.scratchStore = scratchStore;
            this.check = new DamagedStoreCheck(scratchStore);
        }

        @Override
        public Counts run(long seed) throws Exception {
            scratchStore.replace(Map.of());
            live(seed);
            Map<String, byte[]> earlier = scratchStore.files();
            // Damage must show after a close, and also after an opening without a write.
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
                    check.checkInUse(damages.get(i), content, workload(0));
                } else {
                    check.check(damages.get(i), content);
                }
            }
            Counts counts = Counts.of(INPUTS, damages.size()).and(STORES, damages.size());
            if (subject.name().startsWith("journal-")) {
                recordFuzz().accept(random, RECORDS_A_CASE);
                counts = counts.and(INPUTS, RECORDS_A_CASE).and("decoder inputs", RECORDS_A_CASE);
            }
            return counts;
        }

        /** Loaded by the class loader of the store, which may be another one than this class has. */
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
         * Other files must reveal a file that is missing or out of date. A store with one file for each key has no such
         * files. In the other stores, each case damages every file in these two ways. In all stores each case damages
         * the last byte of every file, which no later byte protects.
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

        /** Runs the workload on a new store and answers its content. */
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
