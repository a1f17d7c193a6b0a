package io.tallystick.durability.surroundings;

import io.tallystick.durability.surroundings.Surroundings.Encoding;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/**
 * All that a seed draws for one life of a store.
 *
 * @param surroundings the world around it
 * @param options the options that the process gets
 * @param source where the process finds them
 * @param mistake why the opening must be refused
 * @param end how the life ends
 * @param load what the life does
 * @param threads threads of the load
 * @param rest how often nothing is asked of the store for a while
 * @param loadMillis duration of the load without its rests, milliseconds
 * @param delayMillis from the start of the process, or from the end of the load, to the kill, milliseconds
 * @param haltAt the disk operation of an opening or of a growth at which the process dies; 0 for a kill from outside
 * @param countsChanges whether only writes into files that were there count for that, in an opening
 * @param roomKib the room that is left where the room may run out, KiB
 * @param seed of the load
 */
record LifePlan(
        Surroundings surroundings,
        LifeOptions options,
        Source source,
        Mistake mistake,
        End end,
        Load load,
        int threads,
        Rest rest,
        int loadMillis,
        int delayMillis,
        int haltAt,
        boolean countsChanges,
        int roomKib,
        long seed) {
    private static final int SHORTEST_MILLIS = 50;
    private static final int MORE_MILLIS = 100;
    private static final int LONGER = 4;
    private static final int MAX_OPENING_MILLIS = 250;
    private static final int MAX_IDLE_MILLIS = 120;
    private static final int MAX_OPENING_OPERATION = 60;
    private static final int MAX_OPENING_CHANGE = 12;
    private static final int MAX_GROWTH_OPERATION = 16;
    private static final int MAX_ROOM_KIB = 1_200;
    private static final int LESS_THAN_A_FILE_KIB = 60;

    /** Where the process finds its options. */
    enum Source implements Drawn {
        PROPERTIES("properties"),
        ENVIRONMENT("environment"),
        FILE("file");

        private final String label;

        Source(String label) {
            this.label = label;
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return 1;
        }
    }

    /** A mistake in the options, for which the opening must be refused. */
    enum Mistake implements Drawn {
        NONE("none", 40),
        OTHER_NODE("other-node", 2),
        OTHER_STORE("other-store", 2),
        OTHER_ENGINE("other-engine", 2),
        LARGE_STATE("state-larger-than-a-quarter", 2),
        /** Drawn apart from the others, because it needs a directory without a store. */
        NO_STORE("no-store-where-one-is-expected", 0);

        private final String label;
        private final int weight;

        Mistake(String label, int weight) {
            this.label = label;
            this.weight = weight;
        }

        /** The options with this mistake in them. */
        LifeOptions in(LifeOptions options) {
            return switch (this) {
                case NONE, NO_STORE -> options;
                case OTHER_NODE -> options.withNode("node-b");
                case OTHER_STORE -> options.ofOtherStore();
                case OTHER_ENGINE -> options.ofOtherEngine();
                case LARGE_STATE -> options.withStateAboveQuarter();
            };
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** The end of a life. */
    enum End implements Drawn {
        KILLED_OPENING("killed-opening", 3),
        KILLED_GROWING("killed-growing", 5),
        KILLED_LOADED("killed-loaded", 7),
        KILLED_IDLE("killed-idle", 4),
        CLOSED("closed", 5);

        private final String label;
        private final int weight;

        End(String label, int weight) {
            this.label = label;
            this.weight = weight;
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** The work of a life. */
    enum Load implements Drawn {
        MIXED("mixed", 6),
        /** New keys and long states: new files are made. */
        GROWTH("growth", 2),
        /** Mostly removals. */
        SHRINKING("shrinking", 2),
        /** Hundreds of short states that stay. */
        MANY_KEYS("many-keys", 1);

        private final String label;
        private final int weight;

        Load(String label, int weight) {
            this.label = label;
            this.weight = weight;
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** How often all callers rest for {@link LifeLoad#REST_MILLIS}. */
    enum Rest implements Drawn {
        NONE("none", 8, 0),
        ONCE("once", 1, 1),
        OFTEN("often", 1, 4);

        private final String label;
        private final int weight;
        private final int times;

        Rest(String label, int weight, int times) {
            this.label = label;
            this.weight = weight;
            this.times = times;
        }

        int times() {
            return times;
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    static LifePlan draw(LifeOptions options, Random random) {
        End end = Drawn.from(End.values(), random);
        Load load = Drawn.from(Load.values(), random);
        boolean isOpening = end == End.KILLED_OPENING;
        boolean changes = isOpening && random.nextBoolean();
        int operation = 1
                + random.nextInt(
                        changes ? MAX_OPENING_CHANGE : isOpening ? MAX_OPENING_OPERATION : MAX_GROWTH_OPERATION);
        boolean isHalted = (isOpening || end == End.KILLED_GROWING) && random.nextInt(3) > 0;
        Surroundings around = Surroundings.draw(random);
        Source source = Drawn.from(Source.values(), random);
        int millis = SHORTEST_MILLIS + random.nextInt(MORE_MILLIS);
        return new LifePlan(
                around,
                options,
                // The JDK itself takes the bytes of variables for text in the default charset.
                around.encoding() == Encoding.UTF_16 && source == Source.ENVIRONMENT ? Source.FILE : source,
                Drawn.from(Mistake.values(), random),
                end,
                end == End.KILLED_GROWING ? Load.GROWTH : load,
                1 + random.nextInt(4),
                Drawn.from(Rest.values(), random),
                load == Load.MANY_KEYS ? millis * LONGER : millis,
                random.nextInt(isOpening ? MAX_OPENING_MILLIS : MAX_IDLE_MILLIS),
                isHalted ? operation : 0,
                changes,
                random.nextInt(random.nextBoolean() ? MAX_ROOM_KIB : MAX_ROOM_KIB / 10),
                random.nextLong());
    }

    LifePlan in(Surroundings other) {
        return with(other, options, mistake);
    }

    LifePlan with(Surroundings otherSurroundings, LifeOptions otherOptions, Mistake otherMistake) {
        return new LifePlan(
                otherSurroundings,
                otherOptions,
                source,
                otherMistake,
                end,
                load,
                threads,
                rest,
                loadMillis,
                delayMillis,
                haltAt,
                countsChanges,
                roomKib,
                seed);
    }

    /** The same life with less room than a file takes, and a load of this duration. */
    LifePlan onFullDisk(int millis) {
        return new LifePlan(
                surroundings,
                options,
                source,
                mistake,
                end,
                load,
                threads,
                rest,
                millis,
                delayMillis,
                haltAt,
                countsChanges,
                roomKib % LESS_THAN_A_FILE_KIB,
                seed);
    }

    /** The same life, which ends at a disk operation of its opening. */
    LifePlan dyingAtOpening(Random random) {
        return dyingAt(1 + random.nextInt(MAX_OPENING_OPERATION), false);
    }

    /** The same life, which ends in its opening at this write into a file that was there. */
    LifePlan dyingAtChange(int change) {
        return dyingAt(change, true);
    }

    private LifePlan dyingAt(int operation, boolean isChange) {
        return new LifePlan(
                surroundings,
                options,
                source,
                mistake,
                End.KILLED_OPENING,
                load,
                threads,
                rest,
                loadMillis,
                delayMillis,
                operation,
                isChange,
                roomKib,
                seed);
    }

    boolean isHaltedOpening() {
        return end == End.KILLED_OPENING && haltAt > 0;
    }

    boolean isHaltedGrowing() {
        return end == End.KILLED_GROWING && haltAt > 0;
    }

    /** The labels of all values except those of options, by the name of their dimension. */
    Map<String, String> labelsOfWorld() {
        Map<String, String> labels = new LinkedHashMap<>(surroundings.labels());
        labels.put("options-from", source.label());
        labels.put("load", load.label());
        labels.put("rest", rest.label());
        labels.put("end", end.label());
        return labels;
    }

    /** The labels of all values by the name of their dimension. */
    Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>(options.labels());
        labels.putAll(labelsOfWorld());
        return labels;
    }

    @Override
    public String toString() {
        return labels() + " state=" + options.stateBytes() + "B mistake=" + mistake.label() + " threads=" + threads
                + " load=" + loadMillis + "ms delay=" + delayMillis + "ms halt-at=" + haltAt
                + (countsChanges ? " of changes" : "") + " room=" + roomKib
                + "KiB seed=" + seed;
    }
}
