package io.tallystick.narayana.doubt;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Values of objects that are held weakly and compared by identity: no method of such an object is called. A value goes
 * with its object, so it must not hold it. May be used by any number of threads.
 */
public final class WeakIdentities<V> {
    private final ReferenceQueue<Object> gone = new ReferenceQueue<>();
    // Guarded by this.
    private final Map<Identity, V> values = new HashMap<>();

    /** The value of the object, made at the first call. */
    public synchronized V computeIfAbsent(Object object, Supplier<V> made) {
        for (Reference<?> dead = gone.poll(); dead != null; dead = gone.poll()) {
            values.remove(dead);
        }
        return values.computeIfAbsent(new Identity(object, gone), key -> made.get());
    }

    /** An object; equal to another one of the same object, and to itself once the object is gone. */
    private static final class Identity extends WeakReference<Object> {
        private final int hash;

        Identity(Object object, ReferenceQueue<Object> gone) {
            super(object, gone);
            this.hash = System.identityHashCode(object);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            if (this == other) {
                return true;
            }
            Object own = get();
            return own != null && other instanceof Identity that && that.refersTo(own);
        }
    }
}
