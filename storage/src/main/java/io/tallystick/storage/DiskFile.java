package io.tallystick.storage;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An open file. Positions are absolute, so threads do not share one. An interrupt of the calling thread neither closes
 * the file nor shortens an operation, and the interrupt flag is as it was afterwards.
 */
public interface DiskFile extends AutoCloseable {
    /** The path that the file was opened with, for messages. */
    Path path();

    /** Size now, bytes. */
    long size() throws IOException;

    /**
     * Reads into {@code target} from {@code position}; returns how many bytes, possibly fewer than asked, -1 at the
     * end.
     */
    int read(ByteBuffer target, long position) throws IOException;

    /** Writes from {@code source} at {@code position}; returns how many bytes, possibly fewer than asked. */
    int write(ByteBuffer source, long position) throws IOException;

    /**
     * Brings everything written before the call, and the size needed to read it, to disk. After a failure nothing is
     * known of earlier writes, and a later success proves nothing about them.
     */
    void force() throws IOException;

    /** Cuts the file off after {@code size} bytes. */
    void truncate(long size) throws IOException;

    /** Closes the file without forcing it; a second call does nothing. */
    @Override
    void close() throws IOException;

    /**
     * Fills {@code target} from {@code position}.
     *
     * @throws EOFException the file ends before
     */
    default void readFully(ByteBuffer target, long position) throws IOException {
        long at = position;
        while (target.hasRemaining()) {
            int count = read(target, at);
            if (count < 0) {
                throw new EOFException("file=" + path() + " ends at offset=" + at + ", " + target.remaining()
                        + " bytes before the expected end");
            }
            at += count;
        }
    }

    /** Writes all of {@code source} at {@code position}, going on after short writes. */
    default void writeFully(ByteBuffer source, long position) throws IOException {
        long at = position;
        while (source.hasRemaining()) {
            int count = write(source, at);
            if (count <= 0) {
                throw new IOException("file=" + path() + " offset=" + at + ": the disk took " + count + " of "
                        + source.remaining() + " bytes");
            }
            at += count;
        }
    }
}
