package io.tallystick.tool.command;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The progress of long work, in one line of a terminal that is rewritten; elsewhere nothing is shown. For one thread.
 */
public final class Progress implements AutoCloseable {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long NEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final String CLEAR_LINE = "\r\033[K";

    private final String what;
    private final PrintWriter err;
    private final boolean isShown;
    private final LongSupplier nanoTime;
    private long nextNanos;
    private boolean isLineWritten;

    public Progress(String what, PrintWriter err, boolean isShown, LongSupplier nanoTime) {
        this.what = what;
        this.err = err;
        this.isShown = isShown;
        this.nanoTime = nanoTime;
        this.nextNanos = nanoTime.getAsLong() + FIRST_NANOS;
    }

    /**
     * Shows the amount of work that is done; cheap enough for every record.
     *
     * @param total the whole amount; 0 if it is not known
     * @param unit of the amounts, such as {@code records}
     */
    public void at(long done, long total, String unit) {
        if (!isShown || nanoTime.getAsLong() - nextNanos < 0) {
            return;
        }
        nextNanos = nanoTime.getAsLong() + NEXT_NANOS;
        isLineWritten = true;
        String share = total > 0 ? String.format(Locale.ROOT, " of %,d (%d %%)", total, done * 100 / total) : "";
        err.print(CLEAR_LINE + what + " ... " + String.format(Locale.ROOT, "%,d", done) + share + " " + unit);
        err.flush();
    }

    /** Removes the line for good. */
    @Override
    public void close() {
        clear();
    }

    /** Removes the line, so that other text can be printed. */
    public void clear() {
        if (isLineWritten) {
            err.print(CLEAR_LINE);
            err.flush();
            isLineWritten = false;
        }
    }
}
