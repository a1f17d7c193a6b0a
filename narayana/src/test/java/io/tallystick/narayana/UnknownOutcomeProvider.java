package io.tallystick.narayana;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * A store that writes a commit decision to the store below and then says that it does not know whether it did, as a
 * store must when the disk fails in between.
 */
public final class UnknownOutcomeProvider implements ObjectStoreProvider {
    /** Its name, the value of {@code tallystick.store}. */
    static final String NAME = "unknown-outcome";
    /** The system property with the name of the store below. */
    static final String BELOW = "test.store.below";

    /** Made by the service loader. */
    public UnknownOutcomeProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ObjectStore open(StoreConfiguration configuration) {
        ObjectStore below = ObjectStores.open(
                configuration.toBuilder().store(System.getProperty(BELOW)).build());
        return (ObjectStore) Proxy.newProxyInstance(
                UnknownOutcomeProvider.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                    Object answer;
                    try {
                        answer = method.invoke(below, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                    if (method.getName().equals("write")
                            && ((StateKey) arguments[0]).type().startsWith("/StateManager/BasicAction")) {
                        throw new OutcomeUnknownException("as if the disk had failed", new IOException("as if"));
                    }
                    return answer;
                });
    }
}
