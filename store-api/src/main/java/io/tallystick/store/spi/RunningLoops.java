package io.tallystick.store.spi;

import io.tallystick.store.spi.StageCompleter.Stage;
import java.util.ArrayList;

/**
 * The loops of a {@link StageCompleter} that run, and the stage of each. Guarded by the lock of the completer, except
 * for {@link #hasAttentive}. Takes memory in {@link #makeRoom} only, so that a loop begins and ends without any.
 */
final class RunningLoops {
    private final ArrayList<LoopState> loops = new ArrayList<>();
    private volatile int attentive;

    /** The state of a loop that runs. */
    abstract static class LoopState {
        /** Whether the loop runs on a thread of the completer by itself, and not as a task of the executor. */
        final boolean isOwn;

        /** The stage that it completes, or whose actions it runs; null if none. */
        volatile Stage current;

        private Stage seenBefore;
        private boolean isAttentive;

        LoopState(boolean isOwn) {
            this.isOwn = isOwn;
        }
    }

    /** Takes the memory for this many loops more than run now. */
    void makeRoom(int more) {
        loops.ensureCapacity(loops.size() + more);
    }

    void add(LoopState loop) {
        loops.add(loop);
    }

    void remove(LoopState loop) {
        loops.remove(loop);
    }

    boolean contains(LoopState loop) {
        return loops.contains(loop);
    }

    /** Whether a loop will look whether its follower is wanted. */
    boolean hasAttentive() {
        return attentive > 0;
    }

    /** Notes whether the loop will look; false if that was known. */
    boolean attend(LoopState loop, boolean does) {
        if (loop.isAttentive == does) {
            return false;
        }
        loop.isAttentive = does;
        attentive += does ? 1 : -1;
        return true;
    }

    /** Whether a loop holds a stage that is not complete yet; dependent actions run after that. */
    boolean isCompleting() {
        for (int i = 0; i < loops.size(); i++) {
            Stage current = loops.get(i).current;
            if (current != null && !current.isDone()) {
                return true;
            }
        }
        return false;
    }

    /** How many threads of the completer complete a stage or run its actions. */
    int countActing() {
        int acting = 0;
        for (int i = 0; i < loops.size(); i++) {
            LoopState loop = loops.get(i);
            if (loop.isOwn && loop.current != null) {
                acting++;
            }
        }
        return acting;
    }

    /** Returns how many loops have had the same stage since the look before. These are attentive no longer. */
    int findStuck() {
        int stuck = 0;
        for (int i = 0; i < loops.size(); i++) {
            LoopState loop = loops.get(i);
            if (loop.current != null && loop.current == loop.seenBefore) {
                stuck++;
                attend(loop, false);
            }
            loop.seenBefore = loop.current;
        }
        return stuck;
    }
}
