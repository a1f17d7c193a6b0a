package io.tallystick.narayana.logs.record;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What recovery of a running process has done for one record.
 *
 * @param count how often it has read the record to finish the transaction, since the process opened the log
 * @param next until it begins the next one at the latest; empty where that is not known
 */
public record RecoveryTries(long count, Optional<Duration> next) {
    /** No process is known that recovers the log. */
    public static final RecoveryTries NONE = new RecoveryTries(0, Optional.empty());

    public RecoveryTries {
        Objects.requireNonNull(next);
    }
}
