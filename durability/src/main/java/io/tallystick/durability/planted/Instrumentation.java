package io.tallystick.durability.planted;

import java.util.Map;
import java.util.Set;

/**
 * A scenario for a {@link io.tallystick.testkit.schedule.Schedule}, and the types that it may use unseen.
 *
 * @param scenario the class that runs it
 * @param unseen for each class, the simple names of types that it may use although the schedule does not see them; no
 *     scenario reaches them
 */
public record Instrumentation(String scenario, Map<String, Set<String>> unseen) {
    /** The group commit that all journals share. */
    public static final Instrumentation GROUP_COMMIT = new Instrumentation("GroupCommitScenario", Map.of());

    /** The whole reaper. */
    public static final Instrumentation REAPER = new Instrumentation("ReaperScenario", Map.of());

    /** The whole file store. No scenario has asynchronous writes. */
    public static final Instrumentation FILE_STORE = new Instrumentation(
            "FileStoreScenario", Map.of("io.tallystick.store.file.AsyncWriters", Set.of("ThreadPoolExecutor")));

    /** The whole journal store over the segmented engine. Its segments are too small for a thread to read ahead. */
    public static final Instrumentation SEGMENTED_STORE = new Instrumentation("SegmentedStoreScenario", Map.of());
}
