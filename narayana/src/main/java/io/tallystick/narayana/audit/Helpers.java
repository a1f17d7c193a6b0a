package io.tallystick.narayana.audit;

import io.tallystick.narayana.recover.Arguments.Helper;
import io.tallystick.narayana.recover.Resources;
import io.tallystick.narayana.recover.Resources.Source;
import io.tallystick.storage.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes the helpers of a command, within a time: a constructor of the user's may reach for its server. */
public final class Helpers {
    private Helpers() {}

    /** No helper was made in time, or the one that is asked. */
    public static final class UnansweredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnansweredException(String message) {
            super(message);
        }
    }

    /**
     * Makes and initialises the helpers, each on a thread of its own. One that is not made in time gives no answer when
     * it is asked, and the others do.
     *
     * @throws IllegalArgumentException there is none, or one cannot be made; the text says why
     * @throws UnansweredException none was made in time
     */
    public static List<Source> made(List<Helper> named, Duration atMost) {
        List<Making> making = new ArrayList<>();
        named.forEach(helper -> making.add(begun(helper.className(), () -> List.of(Resources.source(helper)))));
        making.add(begun("the helpers of JTAEnvironmentBean", Resources::configured));
        long begun = NanoClock.SYSTEM.nanoTime();
        List<Source> sources = new ArrayList<>();
        boolean isAnyMade = false;
        for (Making each : making) {
            try {
                long left = atMost.toNanos() - (NanoClock.SYSTEM.nanoTime() - begun);
                List<Source> made = each.task().get(Math.max(0, left), TimeUnit.NANOSECONDS);
                isAnyMade |= !made.isEmpty();
                sources.addAll(made);
            } catch (ExecutionException failed) {
                throw refusal(failed);
            } catch (TimeoutException hangs) {
                sources.add(new Source(each.name(), () -> {
                    throw new UnansweredException("it " + notMade(atMost));
                }));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new UnansweredException("interrupted; nothing was changed");
            }
        }
        if (sources.isEmpty()) {
            throw Resources.noneNamed();
        }
        if (!isAnyMade) {
            throw new UnansweredException("each --helper " + notMade(atMost) + "; nothing was changed");
        }
        return sources;
    }

    private static String notMade(Duration atMost) {
        return "was not made and initialised in " + atMost.toSeconds() + " s: its constructor or initialise() hangs";
    }

    private static RuntimeException refusal(ExecutionException failed) {
        if (failed.getCause() instanceof Error error) {
            throw error;
        }
        return failed.getCause() instanceof RuntimeException refused
                ? refused
                : new IllegalArgumentException(failed.getCause().toString(), failed);
    }

    /** Sources that are being made. */
    private record Making(String name, FutureTask<List<Source>> task) {}

    private static Making begun(String name, Callable<List<Source>> work) {
        return new Making(name, Questions.begun("tallystick-helpers", work));
    }
}
