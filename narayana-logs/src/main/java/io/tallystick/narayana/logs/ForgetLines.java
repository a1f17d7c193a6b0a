package io.tallystick.narayana.logs;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the trails say of one record that is to be forgotten: a line before it is removed, and a second one if it was
 * not. Those who read a trail to leave branches alone take the record for forgotten by either line.
 */
public final class ForgetLines {
    /** The removal was not begun: the record is in the log. */
    public static final String NOT_REMOVED = "not-removed";

    /** The removal failed: the record may be in the log. */
    public static final String UNKNOWN = "unknown";

    private final String user;
    private final Map<String, String> values;
    private final String reason;
    private final Map<SettledTrail, String> begun = new LinkedHashMap<>();

    /**
     * The lines of a record.
     *
     * @param user who forgets it
     * @param values by their names, in their order
     * @param reason why
     */
    public ForgetLines(String user, Map<String, String> values, String reason) {
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

    /**
     * Adds a line to each trail that has the first one, because the record was not removed.
     *
     * @param outcome {@link #NOT_REMOVED} or {@link #UNKNOWN}
     * @return what cannot be written; the first line stays alone then, and is on the safe side
     */
    public List<IOException> correct(Instant time, String outcome) {
        List<IOException> failed = new ArrayList<>();
        begun.forEach((trail, kept) -> {
            try {
                trail.addLocked(time, user, with(kept, Map.of("outcome", outcome)), reason);
            } catch (IOException trouble) {
                failed.add(trouble);
            }
        });
        return failed;
    }

    private Map<String, String> with(String kept, Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(values);
        all.put("kept", kept);
        all.putAll(more);
        return all;
    }
}
