package io.tallystick.narayana.audit;

import io.tallystick.narayana.recover.Arguments.Helper;
import io.tallystick.narayana.recover.Resources;
import io.tallystick.store.spi.StoreThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes the helpers of a command, within a time: a constructor of the user's may reach for its server. */
public final class Helpers {
    private Helpers() {}

    /** A helper was not made in time. */
    public static final class UnansweredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnansweredException(String message) {
            super(message);
        }
    }

    /**
     * Makes and initialises the helpers on a thread of its own.
     *
     * @throws IllegalArgumentException there is none, or one cannot be made; the text says why
     * @throws UnansweredException one gave no answer in time
     */
    public static List<Resources.Source> made(List<Helper> named, Duration atMost) {
        FutureTask<List<Resources.Source>> making =
                new FutureTask<>(() -> Resources.of(named).sources());
        Thread thread = StoreThread.of(making, "tallystick-helpers");
        // Drivers look for their classes there.
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.start();
        try {
            return making.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            throw failed.getCause() instanceof RuntimeException refused
                    ? refused
                    : new IllegalArgumentException(failed.getCause().toString(), failed);
        } catch (TimeoutException hangs) {
            throw new UnansweredException("a --helper was not made and initialised in " + atMost.toSeconds()
                    + " s: its constructor or initialise() hangs; nothing was changed");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new UnansweredException("interrupted; nothing was changed");
        }
    }
}
