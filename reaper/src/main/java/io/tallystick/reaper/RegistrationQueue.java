package io.tallystick.reaper;

import org.jspecify.annotations.Nullable;

/** A first-in-first-out list through {@link Registration#next}. Not thread-safe. */
final class RegistrationQueue {
    private @Nullable Registration first;
    private @Nullable Registration last;
    private int size;

    void add(Registration registration) {
        registration.next = null;
        if (last == null) {
            first = registration;
        } else {
            last.next = registration;
        }
        last = registration;
        size++;
    }

    /** The first, or null. */
    @Nullable Registration poll() {
        Registration polled = first;
        if (polled != null) {
            first = polled.next;
            polled.next = null;
            if (first == null) {
                last = null;
            }
            size--;
        }
        return polled;
    }

    /** Moves all registrations of {@code other} to the end of this queue, in one step. */
    void addAll(RegistrationQueue other) {
        if (other.first == null) {
            return;
        }
        if (last == null) {
            first = other.first;
        } else {
            last.next = other.first;
        }
        last = other.last;
        size += other.size;
        other.forgetAll();
    }

    /** Drops the registrations that have ended. */
    void prune() {
        Registration registration = first;
        forgetAll();
        while (registration != null) {
            Registration following = registration.next;
            registration.next = null;
            if (!registration.hasEnded()) {
                add(registration);
            }
            registration = following;
        }
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return first == null;
    }

    private void forgetAll() {
        first = null;
        last = null;
        size = 0;
    }
}
