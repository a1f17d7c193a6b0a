package io.tallystick.reaper;

import java.util.concurrent.atomic.AtomicReference;

/**
 * How a registering thread wakes the watch: the agreement between threads that register and the one thread that looks.
 *
 * <pre>
 *     ENDED --START--> WATCHING --doze--> DOZING          from any of these,
 *       ^               |  ^  ^              |             by close:
 *       |               |  |  '----UNPARK----'              ENDED      --> CLOSED
 *       '---- ENDING <--'  |                                the others --> CLOSING --> CLOSED
 *                |  end    |
 *                '--NONE---'
 * </pre>
 *
 * <p>While the phase is WATCHING the watch looks by itself in every tick and needs no call: to register costs one
 * read of the phase. Before the watch sleeps longer (DOZING) or its thread ends (ENDING) it changes the phase and
 * <i>then</i> looks whether something has arrived; a registering thread pushes first and <i>then</i> reads the phase.
 * Both are sequentially consistent, so at least one of them sees the other and no arrival is slept through. Exactly
 * one caller wins the step back to WATCHING and has to wake or start the thread.
 */
final class Wakefulness {
    /** Where the watch is. */
    enum Phase {
        /** No thread. */
        ENDED,
        /** A thread that looks in every tick. */
        WATCHING,
        /** A thread that sleeps until something is due. */
        DOZING,
        /** A thread that has nothing to do and is making sure of it. */
        ENDING,
        /** A thread that finishes; nothing new is accepted. */
        CLOSING,
        /** No thread, for ever. */
        CLOSED
    }

    /** The duty of the thread that has pushed a registration. */
    enum Call {
        /** Nothing. */
        NONE,
        /** Unpark the watch. */
        UNPARK,
        /** Start a watch. */
        START,
        /** Take the registration back: too late. */
        REFUSED
    }

    private final Stripes stripes;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.ENDED);

    Wakefulness(Stripes stripes) {
        this.stripes = stripes;
    }

    Phase phase() {
        return phase.get();
    }

    /** Whether the watch looks by itself, so that there is nobody to {@link #call}. */
    boolean isWatching() {
        return phase.get() == Phase.WATCHING;
    }

    /** Registrant, after the push. */
    Call call() {
        for (; ; ) {
            Phase now = phase.get();
            switch (now) {
                case WATCHING:
                    return Call.NONE;
                case DOZING:
                    if (phase.compareAndSet(now, Phase.WATCHING)) {
                        return Call.UNPARK;
                    }
                    break;
                case ENDED:
                    if (phase.compareAndSet(now, Phase.WATCHING)) {
                        return Call.START;
                    }
                    break;
                case ENDING:
                    if (phase.compareAndSet(now, Phase.WATCHING)) {
                        return Call.NONE; // it is just awake
                    }
                    break;
                default:
                    return Call.REFUSED;
            }
        }
    }

    /**
     * Registrant: the thread that {@link Call#START} asked for could not be started. True if closing must go on here.
     */
    boolean notStarted() {
        return !phase.compareAndSet(Phase.WATCHING, Phase.ENDED);
    }

    /**
     * Watch: whether it may sleep now. If so, it sleeps while the phase is DOZING, and calls {@link #awake} after it.
     */
    boolean doze() {
        if (!phase.compareAndSet(Phase.WATCHING, Phase.DOZING)) {
            return false;
        }
        if (stripes.isEmpty()) {
            return true;
        }
        awake();
        return false;
    }

    /** Watch: it has slept enough, or was woken. */
    void awake() {
        phase.compareAndSet(Phase.DOZING, Phase.WATCHING);
    }

    /** Watch: whether its thread may end now. If so it must not touch anything any more, for another may be at work. */
    boolean end() {
        if (!phase.compareAndSet(Phase.WATCHING, Phase.ENDING)) {
            return false;
        }
        if (stripes.isEmpty()) {
            return phase.compareAndSet(Phase.ENDING, Phase.ENDED);
        }
        phase.compareAndSet(Phase.ENDING, Phase.WATCHING);
        return false;
    }

    /** Closer: nothing new from now on. True if there is a thread that must be woken to finish. */
    boolean close() {
        for (; ; ) {
            Phase now = phase.get();
            switch (now) {
                case ENDED:
                    if (phase.compareAndSet(now, Phase.CLOSED)) {
                        return false;
                    }
                    break;
                case WATCHING:
                case DOZING:
                case ENDING:
                    if (phase.compareAndSet(now, Phase.CLOSING)) {
                        return true;
                    }
                    break;
                case CLOSING:
                    return true;
                default:
                    return false;
            }
        }
    }

    /** Watch: everything is finished. */
    void closed() {
        phase.set(Phase.CLOSED);
    }
}
