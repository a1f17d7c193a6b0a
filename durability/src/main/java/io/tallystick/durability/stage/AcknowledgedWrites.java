package io.tallystick.durability.stage;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The moment of invocation of each forced write that returned, by the wall clock, which strace uses too. */
final class AcknowledgedWrites implements InvocationHandler {
    private final ObjectStore store;
    private final ConcurrentLinkedQueue<Invocation> acknowledged = new ConcurrentLinkedQueue<>();

    private record Invocation(StateKey key, Instant begun) {}

    AcknowledgedWrites(ObjectStore store) {
        this.store = store;
    }

    /** The store, observed. */
    ObjectStore observed() {
        return (ObjectStore)
                Proxy.newProxyInstance(ObjectStore.class.getClassLoader(), new Class<?>[] {ObjectStore.class}, this);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        Instant begun = Instant.now();
        try {
            Object result = method.invoke(store, arguments);
            if (method.getName().equals("write") && arguments[2] == Durability.FORCED) {
                acknowledged.add(new Invocation((StateKey) arguments[0], begun));
            }
            return result;
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    long count() {
        return acknowledged.size();
    }

    /** The key of a write that was invoked after that moment and returned. */
    Optional<String> invokedAfter(Instant moment) {
        return acknowledged.stream()
                .filter(write -> write.begun.isAfter(moment))
                .map(write -> write.key.toPrintable() + " at " + write.begun)
                .findFirst();
    }
}
