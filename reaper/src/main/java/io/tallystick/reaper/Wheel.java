package io.tallystick.reaper;

/**
 * The registrations that the watch has seen: a ring of {@value #SLOTS} unsorted slots, one for each tick. Only the
 * watch uses it; not thread-safe.
 *
 * <h2>When a registration is looked at</h2>
 *
 * <p>A registration waits in the slot of its <i>next look</i>, which is the earlier of two times:
 *
 * <ul>
 *   <li>its deadline (or, before that, the time to capture its owner's stack)
 *   <li>the time when it will be twice as old as now
 * </ul>
 *
 * At a look an ended registration is dropped, and a due one is handed over. Any other goes into the slot of its next
 * look. A slot comes round once in each turn of the ring. So a registration for a later turn is also looked at in the
 * turns before it.
 *
 * <p>The second time bounds memory, although the end of a transaction searches, locks and unlinks nothing. An ended
 * registration is dropped at the latest at twice its age at the end, plus a tick. So the ring has at most about twice
 * the registrations that were open, with timeouts of any length. A registration is looked at only a few dozen times.
 * These are one look for each doubling of its age up to one turn of the ring, one a turn after that, and one at its
 * deadline.
 */
final class Wheel {
    /** Slots in the ring, a power of two. With the default precision one turn takes 204.8 s. */
    static final int SLOTS = 4096;

    private static final int MASK = SLOTS - 1;

    private final long originNanos;
    private final long tickNanos;
    private final long captureLeadNanos;
    private final Registration[] slots = new Registration[SLOTS];

    /** The last tick whose slot was looked at. */
    private long tick;

    private int size;

    private final RegistrationQueue due = new RegistrationQueue();
    private final RegistrationQueue toCapture = new RegistrationQueue();

    Wheel(long originNanos, long tickNanos, long captureLeadNanos) {
        this.originNanos = originNanos;
        this.tickNanos = tickNanos;
        this.captureLeadNanos = captureLeadNanos;
    }

    /** Adds the list that begins with {@code first}, which the watch sees for the first time. */
    void admit(Registration first, long nowNanos) {
        Registration registration = first;
        while (registration != null) {
            Registration following = registration.next;
            registration.seenAt(nowNanos);
            look(registration, nowNanos);
            registration = following;
        }
    }

    /** Looks at every slot up to now. */
    void turnTo(long nowNanos) {
        long now = Math.max(tick, (nowNanos - originNanos) / tickNanos);
        long from = Math.max(tick + 1, now - SLOTS + 1);
        tick = now; // before the looks, which put registrations into slots after now
        for (long t = from; t <= now; t++) {
            lookAtSlot((int) t & MASK, nowNanos);
        }
    }

    /** Looks at all registrations. */
    void lookAtAll(long nowNanos) {
        RegistrationQueue all = takeAll();
        for (Registration registration = all.poll(); registration != null; registration = all.poll()) {
            look(registration, nowNanos);
        }
    }

    /** Empties the ring; registrations that have not ended become due. */
    void expireAll() {
        RegistrationQueue all = takeAll();
        all.prune();
        due.addAll(all);
    }

    /** The registrations that are due. The caller takes them away. */
    RegistrationQueue due() {
        return due;
    }

    /**
     * The registrations that need a stack capture. The caller takes them away and returns them with {@link #putBack}.
     */
    RegistrationQueue toCapture() {
        return toCapture;
    }

    /** Takes back the registrations that were in {@link #toCapture}. */
    void putBack(Registration registration, long nowNanos) {
        look(registration, nowNanos);
    }

    /** The number of registrations in the ring: the open ones, and those that have ended since their last look. */
    int size() {
        return size;
    }

    /** As {@link #size}, with those that are due or need a stack capture and were not taken away. */
    int sizeWithQueues() {
        return size + due.size() + toCapture.size();
    }

    /** The time of the next tick. */
    long nextTickNanos() {
        return timeOf(tick + 1);
    }

    /** The time of the next tick whose slot is not empty. There must be one. */
    long nextLookNanos() {
        long t = tick + 1;
        while (slots[(int) t & MASK] == null) {
            t++;
        }
        return timeOf(t);
    }

    private void lookAtSlot(int slot, long nowNanos) {
        Registration registration = slots[slot];
        slots[slot] = null;
        while (registration != null) {
            Registration following = registration.next;
            size--;
            look(registration, nowNanos);
            registration = following;
        }
    }

    private void look(Registration registration, long nowNanos) {
        long leftNanos = registration.deadlineNanos() - nowNanos;
        if (registration.hasEnded()) {
            registration.next = null; // else a caller that keeps the handle would keep the list alive
        } else if (leftNanos <= 0) {
            due.add(registration);
        } else if (!registration.wantsCapture()) {
            put(registration, leftNanos, nowNanos);
        } else if (leftNanos <= captureLeadNanos) {
            toCapture.add(registration);
        } else {
            put(registration, leftNanos - captureLeadNanos, nowNanos);
        }
    }

    private void put(Registration registration, long leftNanos, long nowNanos) {
        long ageNanos = registration.timeoutNanos() - (registration.deadlineNanos() - nowNanos);
        long sinceOriginNanos = nowNanos - originNanos;
        long nextLook = leftNanos <= ageNanos
                ? (sinceOriginNanos + leftNanos + tickNanos - 1) / tickNanos
                : (sinceOriginNanos + ageNanos) / tickNanos;
        int slot = (int) Math.max(nextLook, tick + 1) & MASK;
        registration.next = slots[slot];
        slots[slot] = registration;
        size++;
    }

    private RegistrationQueue takeAll() {
        RegistrationQueue all = new RegistrationQueue();
        for (int slot = 0; slot < SLOTS; slot++) {
            Registration registration = slots[slot];
            slots[slot] = null;
            while (registration != null) {
                Registration following = registration.next;
                all.add(registration);
                registration = following;
            }
        }
        size = 0;
        return all;
    }

    private long timeOf(long tickNumber) {
        return originNanos + tickNumber * tickNanos;
    }
}
