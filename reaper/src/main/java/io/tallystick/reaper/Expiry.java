package io.tallystick.reaper;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One transaction that the reaper cancelled, told after the attempt.
 *
 * @param transaction the transaction that was registered
 * @param reason the reason for the cancellation
 * @param timeout the time it had been given
 * @param lateness from its deadline to the call of {@link Reapable#cancel}; negative if it was cancelled before its
 *     deadline, by closing
 * @param outcome the outcome of the call
 * @param failure the exception of the call, if it threw one
 * @param ownerStack the stack of the thread that registered it, shortly before the deadline, innermost frame first;
 *     empty unless {@link ReaperOptions#stackCaptureLead} asks for it
 */
public record Expiry(
        Reapable transaction,
        ExpiryReason reason,
        Duration timeout,
        Duration lateness,
        CancelOutcome outcome,
        Optional<Throwable> failure,
        List<StackTraceElement> ownerStack) {}
