package io.tallystick.testkit.schedule;

import java.util.HashSet;
import java.util.Set;

/**
 * What a series of schedules has covered: how many of them differ, and which places of the rewritten code they passed.
 * Two schedules are the same if the same threads passed the same places in the same order.
 */
public final class ScheduleCoverage {
    private final Set<Long> fingerprints = new HashSet<>();
    private final Set<String> sites = new HashSet<>();

    /** Covers nothing yet. */
    public ScheduleCoverage() {}

    /** Runs code that runs schedules, and adds what they cover. */
    public void watch(Runnable schedules) {
        ScheduleCoverage before = Schedule.setCoverage(this);
        try {
            schedules.run();
        } finally {
            Schedule.setCoverage(before);
        }
    }

    /** The number of schedules that differ from each other. */
    public synchronized long distinctSchedules() {
        return fingerprints.size();
    }

    /** The number of places in the rewritten code that were passed. */
    public synchronized long sitesReached() {
        return sites.size();
    }

    synchronized void add(long fingerprint, Set<String> passed) {
        fingerprints.add(fingerprint);
        sites.addAll(passed);
    }
}
