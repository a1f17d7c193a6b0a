package io.tallystick.nativeio;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.UnansweredWrites;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A file opened past the page cache: written through the lanes of an engine, read, measured and cut through another
 * descriptor of the same file. Several threads may write at once, each on a lane of its own.
 *
 * <p>An engine's descriptor is only a number, and the kernel gives the number of a closed file to the next one that is
 * opened. So a write enters a gate first, and closing waits until the last one has left.
 */
final class NativeFile implements DiskFile {
    /** How long closing waits for writes in flight before it gives up and leaves the descriptor open. */
    static final Duration CLOSE_PATIENCE = Duration.ofSeconds(60);

    private final DiskFile ordinary;
    private final Descriptor descriptor;
    private final LanePool lanes;
    private final int alignment;
    private final Gate gate = new Gate();

    /**
     * A file over both of these, which it closes.
     *
     * @throws IOException there is no lane to write on; neither was closed
     */
    NativeFile(DiskFile ordinary, Descriptor descriptor, LanePool lanes, int alignment) throws IOException {
        this.ordinary = ordinary;
        this.descriptor = descriptor;
        this.lanes = lanes;
        this.alignment = alignment;
        try {
            lanes.retain();
        } catch (IOException refused) {
            throw new IOException("file=" + path() + ": " + refused.getMessage(), refused);
        }
    }

    @Override
    public Path path() {
        return ordinary.path();
    }

    @Override
    public long size() throws IOException {
        return ordinary.size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return ordinary.read(target, position);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        if (!source.isDirect()) {
            throw new IllegalArgumentException(
                    "file=" + path() + ": a write past the page cache needs a direct buffer, got " + source);
        }
        requireAligned(source, position);
        if (!gate.enter()) {
            throw new ClosedChannelException();
        }
        try {
            int count = source.hasRemaining() ? writeOnLane(source, position) : 0;
            source.position(source.position() + count);
            return count;
        } finally {
            gate.leave();
        }
    }

    /** Forces changes through the other descriptor, such as the size; writes were on disk when they returned. */
    @Override
    public void force() throws IOException {
        ordinary.force();
    }

    @Override
    public void truncate(long size) throws IOException {
        ordinary.truncate(size);
    }

    @Override
    public void close() throws IOException {
        if (!gate.shut()) {
            return;
        }
        try (ordinary) {
            if (!gate.awaitEmpty(CLOSE_PATIENCE)) {
                UnansweredWrites.keep(path(), lanes);
                throw new IOException("file=" + path() + ": a write is still in flight " + CLOSE_PATIENCE.toSeconds()
                        + " s after closing began; its descriptor " + descriptor.number()
                        + " stays open. Look for a disk that does not answer");
            }
            try (descriptor) {
                lanes.release();
            }
        }
    }

    private int writeOnLane(ByteBuffer source, long position) throws IOException {
        Lane lane = lanes.borrow();
        try {
            return lane.write(descriptor, source, position);
        } catch (IOException failed) {
            throw new IOException(
                    "file=" + path() + " offset=" + position + " length=" + source.remaining() + ": "
                            + failed.getMessage(),
                    failed);
        } finally {
            if (lane.isIdle()) {
                lanes.giveBack(lane);
            } else {
                // Before the store learns of the failure, and could give the directory up.
                UnansweredWrites.keep(path(), lane);
                lanes.lost();
            }
        }
    }

    private void requireAligned(ByteBuffer source, long position) {
        int misplacedBytes = source.alignmentOffset(source.position(), alignment);
        if (position < 0
                || position % alignment != 0
                || source.remaining() % alignment != 0
                || (misplacedBytes != 0 && source.hasRemaining())) {
            throw new IllegalArgumentException("file=" + path() + " offset=" + position + " length="
                    + source.remaining() + ", address " + misplacedBytes
                    + " bytes past alignment: a write past the page"
                    + " cache needs all three to be multiples of " + alignment
                    + ". Use ByteBuffer.allocateDirect(length + " + alignment + ").alignedSlice(" + alignment + ")");
        }
    }
}
