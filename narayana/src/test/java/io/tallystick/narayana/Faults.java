package io.tallystick.narayana;

import io.tallystick.store.ObjectStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A store that shows each call, and may fail it before it reaches the store below. */
final class Faults {
    private Faults() {}

    static ObjectStore observing(ObjectStore below, Observer observer) {
        return (ObjectStore) Proxy.newProxyInstance(
                Faults.class.getClassLoader(), new Class<?>[] {ObjectStore.class}, (proxy, method, arguments) -> {
                    observer.called(method.getName(), arguments);
                    try {
                        return method.invoke(below, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    interface Observer {
        void called(String method, Object[] arguments);
    }
}
