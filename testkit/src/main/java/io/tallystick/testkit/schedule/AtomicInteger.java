package io.tallystick.testkit.schedule;

/** Takes the place of its namesake. */
public final class AtomicInteger {
    private int value;

    /** Of this value. */
    public AtomicInteger(int value) {
        this.value = value;
    }

    /** Of value 0. */
    public AtomicInteger() {}

    /** The value. */
    public int get() {
        Schedule.point();
        return value;
    }

    /** Sets it. */
    public void set(int newValue) {
        Schedule.point();
        value = newValue;
    }

    /** Sets it if it was as expected. */
    public boolean compareAndSet(int expected, int newValue) {
        Schedule.point();
        if (value != expected) {
            return false;
        }
        value = newValue;
        return true;
    }

    /** Sets it and answers what it was. */
    public int getAndSet(int newValue) {
        Schedule.point();
        int before = value;
        value = newValue;
        return before;
    }

    /** Adds one and answers the sum. */
    public int incrementAndGet() {
        Schedule.point();
        return ++value;
    }

    /** Adds so many and answers the sum. */
    public int addAndGet(int more) {
        Schedule.point();
        value += more;
        return value;
    }

    /** Takes one away and answers what is left. */
    public int decrementAndGet() {
        Schedule.point();
        return --value;
    }
}
