package io.tallystick.reaper;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The state of the watch, by which registering threads know whether they must wake or start its thread.
 *
 * <pre>
 *     ENDED --START--> WATCHING --doze--> DOZING          from any of these,
 *       ^               |  ^  ^              |             by close:
 *       |               |  |  '----UNPARK----'              CLOSING --> CLOSED
 *       '---- ENDING <--'  |
 *                |  end    |
 *                '--NONE---'
 * </pre>
 *
 * <p>While the phase is WATCHING the watch looks in every tick without a call, and registering costs one read of the
 * phase. Before the watch sleeps longer (DOZING) or its thread ends (ENDING), it changes the phase and <i>then</i>
 * looks for arrivals. A registering thread pushes first and <i>then</i> reads the phase. Both are sequentially
 * consistent, so at least one of them sees the other, and no arrival is missed. Exactly one caller wins the step back
 * to WATCHING and must wake or start the thread.
 */
final class WatchState {
    /** The phases of the watch. */
    enum Phase {
        /** No thread. */
        ENDED,
        /** A thread that looks in every tick. */
        WATCHING,
        /** A thread that sleeps until the next look. */
        DOZING,
        /** A thread that has no work and makes sure of it before it ends. */
        ENDING,
        /** A thread that finishes, or a closer that does so in its place; new registrations are refused. */
        CLOSING,
        /** No thread, for ever. */
        CLOSED
    }

    /** The duty of the thread that has pushed a registration, or closes. */
    enum Call {
        /** Nothing. */
        NONE,
        /** Unpark the watch. */
        UNPARK,
        /** Start a watch. */
        START,
        /** Take the registration back: the reaper is closed. */
        REFUSED
    }

    private final Stripes stripes;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.ENDED);

    WatchState(Stripes stripes) {
        this.stripes = stripes;
    }

    Phase phase() {
        return Objects.requireNonNull(phase.get()); // never null: neither at first nor by a step
    }

    /** Whether the watch looks in every tick, so that a {@link #call} is not needed. */
    boolean isWatching() {
        return phase.get() == Phase.WATCHING;
    }

    /** Registrant, after the push: the answer is its duty. */
    Call call() {
        for (; ; ) {
            Phase now = phase();
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
                        return Call.NONE; // it is still running
                    }
                    break;
                default:
                    return Call.REFUSED;
            }
        }
    }

    /**
     * Registrant: the thread for {@link Call#START} could not be started. True if the registrant must finish the
     * closing.
     */
    boolean notStarted() {
        return !phase.compareAndSet(Phase.WATCHING, Phase.ENDED);
    }

    /**
     * Watch: whether it may sleep now. If so, it sleeps while the phase is DOZING, and calls {@link #awake} afterwards.
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

    /** Watch: its sleep has ended. */
    void awake() {
        phase.compareAndSet(Phase.DOZING, Phase.WATCHING);
    }

    /**
     * Watch: whether its thread may end now. If so, it must not touch shared state any more, because another watch may
     * run already.
     */
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

    /**
     * Closer: refuses registrations from now on; the answer is its duty. START: there is no thread, and the closer
     * finishes, or starts a watch to do so. UNPARK: a thread finishes. NONE: the closing is finished.
     */
    Call close() {
        for (; ; ) {
            Phase now = phase();
            switch (now) {
                case ENDED:
                    if (phase.compareAndSet(now, Phase.CLOSING)) {
                        return Call.START;
                    }
                    break;
                case WATCHING:
                case DOZING:
                case ENDING:
                    if (phase.compareAndSet(now, Phase.CLOSING)) {
                        return Call.UNPARK;
                    }
                    break;
                case CLOSING:
                    return Call.UNPARK;
                default:
                    return Call.NONE;
            }
        }
    }

    /** Watch: the closing is finished. */
    void closed() {
        phase.set(Phase.CLOSED);
    }
}
