package io.tallystick.reaper;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One transaction that the reaper cancelled, told after the attempt.
 *
 * @param transaction what was registered
 * @param reason why it was cancelled
 * @param timeout the time it had been given
 * @param lateness from its deadline to the call of {@link Reapable#cancel}; negative if it was cancelled before its
 *     deadline, by closing
 * @param outcome what the call came to
 * @param failure what the call threw, if it threw
 * @param ownerStack where the thread that registered it was shortly before the deadline, innermost frame first; empty
 *     unless {@link ReaperOptions#stackCaptureLead} asks for it
 */
public record Expiry(
        Reapable transaction,
        ExpiryReason reason,
        Duration timeout,
        Duration lateness,
        CancelOutcome outcome,
        Optional<Throwable> failure,
        List<StackTraceElement> ownerStack) {}
