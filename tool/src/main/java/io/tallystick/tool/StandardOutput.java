package io.tallystick.tool;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;

/** Standard output, which remembers that it could not be written: a {@link java.io.PrintWriter} tells nobody. */
final class StandardOutput extends OutputStream {
    private final OutputStream target;
    private IOException failure;

    StandardOutput(OutputStream target) {
        this.target = target;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (failure != null) {
            throw failure;
        }
        try {
            target.write(bytes, offset, length);
        } catch (IOException failed) {
            failure = failed;
            throw failed;
        }
    }

    @Override
    public void flush() throws IOException {
        if (failure == null) {
            try {
                target.flush();
            } catch (IOException failed) {
                failure = failed;
                throw failed;
            }
        }
    }

    /** The first failure; empty if everything was written. */
    Optional<IOException> failure() {
        return Optional.ofNullable(failure);
    }

    /** Whether the reader of a pipe has ended, which wants no more, such as {@code head}. */
    static boolean isPipeClosed(IOException failure) {
        return String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe");
    }
}
