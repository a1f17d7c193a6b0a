package io.tallystick.durability.surroundings;

import io.tallystick.store.StoreOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The options of one life of a store.
 *
 * @param store a value of {@link StoreOption#STORE}
 * @param engine a value of {@link StoreOption#JOURNAL_ENGINE}; empty for a store that is no journal
 * @param io a value of {@link StoreOption#JOURNAL_IO}
 * @param segmentKib size of a segment, KiB
 * @param blockBytes alignment of writes, bytes
 * @param segments segments of a new journal
 * @param stateBytes the largest state, bytes
 * @param removeDurability a value of {@link StoreOption#REMOVE_DURABILITY}
 * @param node a node's id; empty for none
 * @param isExpected whether a store must be there
 * @param onUnknownOutcome a value of {@link StoreOption#ON_UNKNOWN_OUTCOME}
 * @param isManaged whether management clients see the store
 */
record LifeOptions(
        String store,
        String engine,
        String io,
        int segmentKib,
        int blockBytes,
        int segments,
        int stateBytes,
        String removeDurability,
        String node,
        boolean isExpected,
        String onUnknownOutcome,
        boolean isManaged) {
    static final String NODE = "node-a";

    private static final List<Integer> SEGMENT_KIB = List.of(64, 64, 64, 128, 256, 512, 1_024, 1_024);
    private static final List<Integer> BLOCK_BYTES = List.of(512, 4_096, 4_096, 16_384);
    private static final List<Integer> SEGMENTS = List.of(4, 4, 5, 8);
    private static final List<String> IO = List.of("channel", "direct", "auto");
    private static final int SMALL_KIB = 64;
    private static final int SMALL_BLOCK_BYTES = 4_096;
    private static final int KIB = 1_024;
    // What a record of this stage takes at most besides its values, with the header of its batch.
    private static final int RECORD_BYTES = 256;
    private static final int USUAL_STATE_BYTES = 4 * KIB;

    /** The options of the first life of the store of a subject, such as {@code journal-segmented-channel}. */
    static LifeOptions first(String subjectName, Random random) {
        String[] parts = subjectName.split("-");
        return new LifeOptions(
                        parts[0],
                        parts.length > 1 ? parts[1] : "",
                        parts.length > 2 ? parts[2] : "channel",
                        64,
                        4_096,
                        4,
                        USUAL_STATE_BYTES,
                        "deferred",
                        "",
                        false,
                        "throw",
                        false)
                .changed(random);
    }

    /** Other options of the same store; its way to the disk stays as often as it changes. */
    LifeOptions changed(Random random) {
        int kib = one(SEGMENT_KIB, random);
        int block = one(BLOCK_BYTES, random);
        int most = kib * KIB / (kib * KIB / block < 8 ? 8 : 4);
        int state =
                switch (random.nextInt(3)) {
                    case 0 -> KIB;
                    case 1 -> Math.min(most, USUAL_STATE_BYTES);
                    default -> most;
                };
        return new LifeOptions(
                store,
                engine,
                random.nextBoolean() ? io : one(IO, random),
                kib,
                block,
                one(SEGMENTS, random),
                state,
                random.nextBoolean() ? "deferred" : "forced",
                random.nextBoolean() ? NODE : "",
                random.nextInt(5) < 2,
                random.nextBoolean() ? "throw" : "halt",
                random.nextInt(5) == 0);
    }

    /** Other options with which the store is sure to open: sizes of files and states stay. */
    LifeOptions changedButForShape(Random random) {
        LifeOptions others = changed(random);
        return new LifeOptions(
                store,
                engine,
                others.io,
                segmentKib,
                blockBytes,
                others.segments,
                stateBytes,
                others.removeDurability,
                others.node,
                others.isExpected,
                others.onUnknownOutcome,
                others.isManaged);
    }

    /** The same options, and files that a short load fills. */
    LifeOptions withSmallFiles() {
        return new LifeOptions(
                store,
                engine,
                io,
                SMALL_KIB,
                Math.min(blockBytes, SMALL_BLOCK_BYTES),
                segments,
                Math.min(stateBytes, USUAL_STATE_BYTES),
                removeDurability,
                node,
                isExpected,
                onUnknownOutcome,
                isManaged);
    }

    boolean isSegmented() {
        return engine.equals("segmented");
    }

    boolean isJournal() {
        return !engine.isEmpty();
    }

    private LifeOptions with(
            String otherStore, String otherEngine, int otherStateBytes, String otherNode, boolean expected) {
        return new LifeOptions(
                otherStore,
                otherEngine,
                io,
                segmentKib,
                blockBytes,
                segments,
                otherStateBytes,
                removeDurability,
                otherNode,
                expected,
                onUnknownOutcome,
                isManaged);
    }

    LifeOptions withNode(String other) {
        return with(store, engine, stateBytes, other, isExpected);
    }

    LifeOptions expecting(boolean expected) {
        return with(store, engine, stateBytes, node, expected);
    }

    LifeOptions ofOtherStore() {
        return isJournal()
                ? with("file", "", stateBytes, node, isExpected)
                : with("journal", "segmented", stateBytes, node, isExpected);
    }

    LifeOptions ofOtherEngine() {
        return with(store, engine.equals("artemis") ? "segmented" : "artemis", stateBytes, node, isExpected);
    }

    LifeOptions withStateAboveQuarter() {
        return with(store, engine, segmentKib * KIB / 4 + 1, node, isExpected);
    }

    /** Whether these options may ask for files that do not fit what the others left on the disk. */
    boolean mayNotFit(LifeOptions before) {
        return isJournal()
                && (segmentKib != before.segmentKib
                        || blockBytes != before.blockBytes
                        || engine.equals("artemis") && stateBytes != before.stateBytes);
    }

    /**
     * Whether removals must work on a full disk: in a journal, if the longest record takes a quarter of a file at most,
     * with both values and the rest of its block.
     */
    boolean alwaysRemoves() {
        int record = 2 * stateBytes + RECORD_BYTES;
        int blocks = (record + blockBytes - 1) / blockBytes;
        return !isJournal() || blocks * blockBytes <= segmentKib * KIB / 4;
    }

    /** The keys and texts that configure a store, without its directory. */
    Map<String, String> properties() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put(StoreOption.STORE.key(), store);
        if (isJournal()) {
            properties.put(StoreOption.JOURNAL_ENGINE.key(), engine);
            properties.put(StoreOption.JOURNAL_IO.key(), io);
            properties.put(StoreOption.JOURNAL_SEGMENT_SIZE.key(), segmentKib + "KiB");
            properties.put(StoreOption.JOURNAL_BLOCK_SIZE.key(), String.valueOf(blockBytes));
            properties.put(StoreOption.JOURNAL_SEGMENTS.key(), String.valueOf(segments));
        }
        properties.put(StoreOption.MAX_STATE_SIZE.key(), String.valueOf(stateBytes));
        properties.put(StoreOption.REMOVE_DURABILITY.key(), removeDurability);
        if (!node.isEmpty()) {
            properties.put(StoreOption.NODE_ID.key(), node);
        }
        properties.put(StoreOption.EXPECT_EXISTING.key(), String.valueOf(isExpected));
        properties.put(StoreOption.ON_UNKNOWN_OUTCOME.key(), onUnknownOutcome);
        properties.put(StoreOption.JMX.key(), String.valueOf(isManaged));
        return properties;
    }

    /** The labels of all values by the name of their dimension. */
    Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("store", isJournal() ? store + "-" + engine : store);
        if (isJournal()) {
            labels.put("io", io);
            labels.put("segment-size", segmentKib + "KiB");
            labels.put("block-size", String.valueOf(blockBytes));
            labels.put("segments", String.valueOf(segments));
        }
        labels.put("max-state-size", stateBytes == KIB ? "1KiB" : stateBytes == USUAL_STATE_BYTES ? "4KiB" : "largest");
        labels.put("remove-durability", removeDurability);
        labels.put("node-id", node.isEmpty() ? "none" : node);
        labels.put("expect-existing", String.valueOf(isExpected));
        labels.put("on-unknown-outcome", onUnknownOutcome);
        labels.put("jmx", String.valueOf(isManaged));
        return labels;
    }

    private static <T> T one(List<T> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }
}
