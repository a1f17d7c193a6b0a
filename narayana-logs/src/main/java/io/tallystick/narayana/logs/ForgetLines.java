package io.tallystick.narayana.logs;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the trails say of one record that is to be forgotten: a line before it is removed, and a second one if it was
 * not. Those who read a trail to leave branches alone take the record for forgotten by either line.
 */
public final class ForgetLines implements AutoCloseable {
    /** How far the removal has come. */
    private enum Outcome {
        /** It was not begun: the record is in the log. */
        NOT_REMOVED("not-removed"),
        /** It was begun, and has perhaps failed: the record may be in the log. */
        UNKNOWN("unknown"),
        /** The first line is right. */
        REMOVED("");

        private final String label;

        Outcome(String label) {
            this.label = label;
        }
    }

    private final InstantSource clock;
    private final String user;
    private final Map<String, String> values;
    private final String reason;
    private final Map<SettledTrail, String> begun = new LinkedHashMap<>();
    private Outcome outcome = Outcome.NOT_REMOVED;

    /**
     * The lines of a record.
     *
     * @param clock gives the time of a second line
     * @param user who forgets it
     * @param values by their names, in their order
     * @param reason why
     */
    public ForgetLines(InstantSource clock, String user, Map<String, String> values, String reason) {
        this.clock = clock;
        this.user = user;
        this.values = new LinkedHashMap<>(values);
        this.reason = reason;
    }

    /**
     * Adds the line before the removal; it is on disk when the call returns.
     *
     * @param kept where the record is kept
     * @throws IOException it cannot be written, so the record must stay
     */
    public void begin(SettledTrail trail, Instant time, String kept) throws IOException {
        trail.addLocked(time, user, with(kept, Map.of()), reason);
        begun.put(trail, kept);
    }

    /** The record is removed from now on. */
    public void removing() {
        outcome = Outcome.UNKNOWN;
    }

    /** The record was removed. */
    public void removed() {
        outcome = Outcome.REMOVED;
    }

    /** Unless the record was removed, adds a line that says so to each trail that has the first one. */
    @Override
    public void close() {
        if (outcome == Outcome.REMOVED) {
            return;
        }
        begun.forEach((trail, kept) -> {
            try {
                trail.addLocked(clock.instant(), user, with(kept, Map.of("outcome", outcome.label)), reason);
            } catch (IOException untold) { // the first line stays alone then, and is on the safe side
            }
        });
    }

    private Map<String, String> with(String kept, Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(values);
        all.put("kept", kept);
        all.putAll(more);
        return all;
    }
}
