package io.tallystick.reaper.schedules;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

/**
 * The threads of one schedule: exactly one of them runs, and hands over at its {@linkplain #step steps} when told to.
 */
public final class Turns {
    private static final int PATIENCE_SECONDS = 30;

    private final List<Member> members = new ArrayList<>();
    private final Semaphore over = new Semaphore(0);
    private final IntUnaryOperator choice;

    // Only the running thread touches these; semaphores order it.
    private final List<Member> unfinished = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private int preemptionsLeft;
    private Throwable failure;

    /** @param choice given how many threads could go on, the present one first, tells which does */
    Turns(List<Runnable> bodies, int preemptions, IntUnaryOperator choice) {
        this.choice = choice;
        this.preemptionsLeft = preemptions;
        for (Runnable body : bodies) {
            members.add(new Member(members.size() + 1, body));
        }
        unfinished.addAll(members);
    }

    /** Called from instrumented code, before it does what {@code place} names. Other threads pass. */
    public static void step(String place) {
        if (Thread.currentThread() instanceof Member member) {
            member.step(place);
        }
    }

    /** Runs the threads to their ends. */
    void run() {
        members.forEach(Thread::start);
        unfinished.get(choice.applyAsInt(unfinished.size())).turn.release();
        try {
            if (!over.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("a thread blocks; steps so far " + trace);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", stopped);
        }
        if (failure != null) {
            throw new AssertionError("a thread failed: " + failure + "\n  after " + trace, failure);
        }
    }

    /** The steps, in order. */
    List<String> trace() {
        return trace;
    }

    /** One of the threads. */
    private final class Member extends Thread {
        private final int number;
        private final Runnable body;
        private final Semaphore turn = new Semaphore(0);

        Member(int number, Runnable body) {
            super("explored-" + number);
            setDaemon(true);
            this.number = number;
            this.body = body;
        }

        @Override
        public void run() {
            turn.acquireUninterruptibly();
            try {
                body.run();
            } catch (Throwable thrown) { // told by the thread that waits for the end
                failure = thrown;
            }
            unfinished.remove(this);
            if (unfinished.isEmpty()) {
                over.release();
            } else {
                unfinished.get(choice.applyAsInt(unfinished.size())).turn.release();
            }
        }

        private void step(String place) {
            Member next = preemptionsLeft == 0 || unfinished.size() == 1 ? this : choose();
            if (next != this) {
                preemptionsLeft--;
                next.turn.release();
                turn.acquireUninterruptibly();
            }
            trace.add("thread " + number + " " + place);
        }

        private Member choose() {
            int chosen = choice.applyAsInt(unfinished.size());
            if (chosen == 0) {
                return this;
            }
            int mine = unfinished.indexOf(this);
            return unfinished.get(chosen <= mine ? chosen - 1 : chosen);
        }
    }
}
