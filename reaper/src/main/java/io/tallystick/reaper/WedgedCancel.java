package io.tallystick.reaper;

import java.time.Duration;
import java.util.List;

/**
 * A cancellation that has not come back for {@link ReaperOptions#wedgedAfter}.
 *
 * @param transaction the transaction that is being cancelled
 * @param threadName the worker thread that is in it, and stays there
 * @param busy how long it has been in it
 * @param stack the stack of that thread, innermost frame first
 */
public record WedgedCancel(Reapable transaction, String threadName, Duration busy, List<StackTraceElement> stack) {}
