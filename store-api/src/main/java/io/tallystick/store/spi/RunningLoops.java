package io.tallystick.store.spi;

import io.tallystick.store.spi.StageCompleter.Stage;
import java.util.ArrayList;

/**
 * The loops of a {@link StageCompleter} that run, and what each has in hand. Guarded by the lock of the completer,
 * except for {@link #hasAttentive}. Takes memory in {@link #makeRoom} only, so that a loop begins and ends without any.
 */
final class RunningLoops {
    private final ArrayList<Hand> hands = new ArrayList<>();
    private volatile int attentive;

    /** What a loop has in hand. */
    abstract static class Hand {
        /** Whether the loop runs on a thread of the completer by itself, and not as a task of the executor. */
        final boolean isOwn;

        /** The stage that it completes, or whose actions it runs; null if none. */
        volatile Stage current;

        private Stage seenBefore;
        private boolean isAttentive;

        Hand(boolean isOwn) {
            this.isOwn = isOwn;
        }
    }

    /** Takes the memory for so many loops more than run now. */
    void makeRoom(int more) {
        hands.ensureCapacity(hands.size() + more);
    }

    void add(Hand loop) {
        hands.add(loop);
    }

    void remove(Hand loop) {
        hands.remove(loop);
    }

    boolean contains(Hand loop) {
        return hands.contains(loop);
    }

    /** Whether a loop will look whether its follower is wanted. */
    boolean hasAttentive() {
        return attentive > 0;
    }

    /** Says whether the loop will look; false if that was known. */
    boolean attend(Hand loop, boolean does) {
        if (loop.isAttentive == does) {
            return false;
        }
        loop.isAttentive = does;
        attentive += does ? 1 : -1;
        return true;
    }

    /** Whether a loop holds a stage that is not complete yet; dependent actions run after that. */
    boolean isCompleting() {
        for (int i = 0; i < hands.size(); i++) {
            Stage current = hands.get(i).current;
            if (current != null && !current.isDone()) {
                return true;
            }
        }
        return false;
    }

    /** How many threads of the completer complete a stage or run its actions. */
    int countActing() {
        int acting = 0;
        for (int i = 0; i < hands.size(); i++) {
            Hand loop = hands.get(i);
            if (loop.isOwn && loop.current != null) {
                acting++;
            }
        }
        return acting;
    }

    /** Answers how many loops have had the same stage in hand since the look before. These are attentive no longer. */
    int findStuck() {
        int stuck = 0;
        for (int i = 0; i < hands.size(); i++) {
            Hand loop = hands.get(i);
            if (loop.current != null && loop.current == loop.seenBefore) {
                stuck++;
                attend(loop, false);
            }
            loop.seenBefore = loop.current;
        }
        return stuck;
    }
}
