package io.tallystick.store;

import io.tallystick.store.spi.ObjectStoreProvider;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** A store in which the outcome of every change is unknown, and which can be read. */
public final class UnknownOutcomeProvider implements ObjectStoreProvider {
    static final String NAME = "unknown-outcome";

    /** How each change ends. */
    static final AtomicReference<Throwable> END =
            new AtomicReference<>(new OutcomeUnknownException("nobody knows", null));

    /** What became of the mark of a loss. */
    static final AtomicReference<LossMarking> MARKING = new AtomicReference<>(LossMarking.NO_LOSS);

    private static final Map<String, Object> ANSWERS = Map.of(
            "description",
            new StoreDescription(NAME, Optional.empty(), Optional.empty(), Optional.empty(), "for tests"),
            "statistics",
            new StoreStatistics(0, 0, 0, 0, 0, 0, 0, 0, StoreStatistics.Latency.NONE),
            "types",
            Set.of("/Readable"),
            "statusOf",
            StateStatus.ABSENT);

    /** For {@link java.util.ServiceLoader}. */
    public UnknownOutcomeProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ObjectStore open(StoreConfiguration configuration) {
        return (ObjectStore) Proxy.newProxyInstance(
                UnknownOutcomeProvider.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("lossMarking")) {
                        return MARKING.get();
                    }
                    Object answer = ANSWERS.get(method.getName());
                    if (answer != null) {
                        return answer;
                    }
                    Throwable unknown = END.get();
                    if (method.getName().equals("writeAsync")) {
                        return CompletableFuture.failedFuture(unknown);
                    }
                    throw unknown;
                });
    }
}
