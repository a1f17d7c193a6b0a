package io.tallystick.nativeio;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The lanes of one disk: as many as there have been writes in flight at once. The last one given back is lent first, so
 * that a single writer always gets the same warm lane. They are closed with the last open file. Any thread may call it.
 *
 * <p>The first lane is opened with the first file. So if the kernel refuses it, the store's opening fails and not a
 * commit. More are opened when a write finds none idle. If the kernel refuses another one, for lack of descriptors,
 * memory or requests, that write waits for the lane of another write. With one lane, writes go on one after the other.
 */
final class LanePool {
    // The pause before the kernel is asked again after it has refused a lane.
    private static final long REFUSED_FOR_MILLIS = 1_000;

    private final Engine engine;
    private final Deque<Lane> idle = new ArrayDeque<>();
    // Lanes that are idle, lent, or being opened; those whose write was given up do not count.
    private int lanes;
    private int openFiles;
    private boolean isRefused;
    private long refusedAtNanos;

    LanePool(Engine engine) {
        this.engine = engine;
    }

    /**
     * Counts one more open file, and makes sure that there is a lane for its writes.
     *
     * @throws IOException the kernel refuses one; the file is not counted
     */
    void retain() throws IOException {
        synchronized (this) {
            openFiles++;
            if (lanes > 0) {
                return;
            }
        }
        Lane first = null;
        try {
            first = borrow();
        } finally {
            if (first != null) {
                giveBack(first);
            } else {
                release();
            }
        }
    }

    /** Counts one open file less, and closes the lanes after the last one. */
    void release() throws IOException {
        IOException failure = null;
        for (Lane lane : lanesToCloseAfterRelease()) {
            try {
                lane.close();
            } catch (IOException failed) {
                if (failure == null) {
                    failure = failed;
                } else {
                    failure.addSuppressed(failed);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * A lane for one write. Waits for one that is lent where the kernel gives no more; an interrupt does not end the
     * wait.
     *
     * @throws IOException the kernel refuses one, and there is no other
     */
    Lane borrow() throws IOException {
        while (true) {
            Lane lane = idleOrPlaceForAnother();
            if (lane != null) {
                return lane;
            }
            try {
                return engine.openLane();
            } catch (IOException refused) {
                if (isLastRefused()) {
                    throw refused;
                }
            } catch (RuntimeException | Error failed) {
                lost();
                throw failed;
            }
        }
    }

    /** Takes an idle lane back. */
    synchronized void giveBack(Lane lane) {
        idle.addFirst(lane);
        notifyAll();
    }

    /** Takes a lane out of the count: its write was given up, or it could not be opened. */
    synchronized void lost() {
        lanes--;
        notifyAll();
    }

    /** An idle lane, or null after a place for another was counted. */
    private synchronized Lane idleOrPlaceForAnother() {
        boolean interrupted = false;
        while (idle.isEmpty() && lanes > 0 && isRefusedNow()) {
            try {
                wait(REFUSED_FOR_MILLIS);
            } catch (InterruptedException remembered) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Lane lane = idle.pollFirst();
        if (lane == null) {
            lanes++;
        }
        return lane;
    }

    private boolean isRefusedNow() {
        return isRefused && System.nanoTime() - refusedAtNanos < REFUSED_FOR_MILLIS * 1_000_000;
    }

    /** Notes a refusal; true if there is no lane now and none is being opened. */
    private synchronized boolean isLastRefused() {
        isRefused = true;
        refusedAtNanos = System.nanoTime();
        lost();
        return lanes == 0;
    }

    private synchronized List<Lane> lanesToCloseAfterRelease() {
        openFiles--;
        if (openFiles > 0) {
            return List.of();
        }
        List<Lane> closing = new ArrayList<>(idle);
        idle.clear();
        lanes -= closing.size();
        return closing;
    }
}
