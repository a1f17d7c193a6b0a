package io.tallystick.nativeio;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The lanes of one disk: as many as there have been writes in flight at once, opened when first needed, lent last in
 * first out so that a single writer always meets the same warm one, and closed with the last open file. Any thread may
 * call it.
 */
final class LanePool {
    private final Engine engine;
    private final Deque<Lane> idle = new ArrayDeque<>();
    // Holds on to the buffers of writes whose outcome nobody learnt.
    private final List<Lane> abandoned = new ArrayList<>();
    private int openFiles;

    LanePool(Engine engine) {
        this.engine = engine;
    }

    /** One more file is open. */
    synchronized void retain() {
        openFiles++;
    }

    /** One file less is open. */
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

    Lane borrow() throws IOException {
        Lane lane;
        synchronized (this) {
            lane = idle.pollFirst();
        }
        return lane != null ? lane : engine.openLane();
    }

    synchronized void giveBack(Lane lane) {
        if (lane.isIdle()) {
            idle.addFirst(lane);
        } else {
            abandoned.add(lane);
        }
    }

    private synchronized List<Lane> lanesToCloseAfterRelease() {
        openFiles--;
        if (openFiles > 0) {
            return List.of();
        }
        List<Lane> lanes = new ArrayList<>(idle);
        idle.clear();
        return lanes;
    }
}
