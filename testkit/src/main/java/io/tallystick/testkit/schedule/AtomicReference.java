package io.tallystick.testkit.schedule;

/** Takes the place of its namesake. */
public final class AtomicReference<V> {
    private V value;

    /** Of this value. */
    public AtomicReference(V value) {
        this.value = value;
    }

    /** Of null. */
    public AtomicReference() {}

    /** The value. */
    public V get() {
        Schedule.point();
        return value;
    }

    /** Sets it. */
    public void set(V newValue) {
        Schedule.point();
        value = newValue;
    }

    /** Sets it if it was the very one expected. */
    public boolean compareAndSet(V expected, V newValue) {
        Schedule.point();
        if (value != expected) {
            return false;
        }
        value = newValue;
        return true;
    }

    /** Sets it and answers what it was. */
    public V getAndSet(V newValue) {
        Schedule.point();
        V before = value;
        value = newValue;
        return before;
    }
}
