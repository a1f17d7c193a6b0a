package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.spi.ForwardingStore;
import io.tallystick.store.spi.TypeCounts;
import io.tallystick.testkit.ToyStore;
import io.tallystick.testkit.oracle.StoreCall;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The contract suite itself: that it is complete, and that a store that breaks one promise fails the test of it. */
class ObjectStoreContractTest {
    private static final ThreadLocal<UnaryOperator<ObjectStore>> SPOILER =
            ThreadLocal.withInitial(() -> store -> store);

    /** The contract of a sound store that was spoilt; run by these tests only. */
    static class SpoiltStoreContract extends ObjectStoreContract {
        private final UnaryOperator<ObjectStore> spoiler = SPOILER.get();

        @Override
        protected ObjectStore open(Path directory) {
            return spoiler.apply(ToyStore.open(new SystemDisk(), directory));
        }

        @Override
        protected int maxStateBytes() {
            return ToyStore.MAX_STATE_BYTES;
        }
    }

    private static final int ATTEMPTS = 50;

    @Test
    void callsOfAllMethodsAreKnown() {
        Set<String> called = StoreCall.all(StateKey.parse("/T:01")).stream()
                .map(call -> call.name().split(" ")[0])
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> methods = Arrays.stream(ObjectStore.class.getMethods())
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        methods.removeAll(List.of("close", "description", "statistics", "health", "lossMarking", "setDraining"));

        assertThat(called).isEqualTo(methods);
    }

    @ParameterizedTest(name = "{0} is caught by {1}")
    @MethodSource("spoilers")
    void brokenPromiseIsCaught(String promise, String test, UnaryOperator<ObjectStore> spoiler) {
        TestExecutionSummary sound = run(test, UnaryOperator.identity());
        assertThat(sound.getTestsSucceededCount()).isPositive();
        assertThat(sound.getTotalFailureCount()).isZero();

        // Some promises are broken only if threads meet; on a machine with few cores not every run lets them.
        long failures = 0;
        for (int attempt = 0; attempt < ATTEMPTS && failures == 0; attempt++) {
            failures = run(test, spoiler).getTotalFailureCount();
        }
        assertThat(failures).as(promise).isPositive();
    }

    private static TestExecutionSummary run(String test, UnaryOperator<ObjectStore> spoiler) {
        Method method = Arrays.stream(SpoiltStoreContract.class.getMethods())
                .filter(candidate -> candidate.getName().equals(test))
                .findFirst()
                .orElseThrow();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(SpoiltStoreContract.class, method))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        Launcher launcher = LauncherFactory.create();
        SPOILER.set(spoiler);
        try {
            launcher.execute(request, listener);
        } finally {
            SPOILER.remove();
        }
        return listener.getSummary();
    }

    static Stream<Arguments> spoilers() {
        return Stream.of(
                spoilt("copy in", "changingTheArrayAfterAWriteDoesNotChangeTheState", KeepsArrays::new),
                spoilt("copy out", "changingAnArrayThatWasReadDoesNotChangeTheState", SharesArrays::new),
                spoilt(
                        "answer of remove",
                        "removeSaysWhetherThereWasSomethingToRemove",
                        store -> new ForwardingStore(store) {
                            @Override
                            public boolean remove(StateKey key, Durability durability) {
                                super.remove(key, durability);
                                return true;
                            }
                        }),
                spoilt("one cell of the table", "everyMoveOfTheTable", store -> new ForwardingStore(store) {
                    @Override
                    public void write(StateKey key, byte[] state, Durability durability) {
                        if (statusOf(key) == StateStatus.COMMITTED_HIDDEN) {
                            reveal(key);
                        }
                        super.write(key, state, durability);
                    }
                }),
                spoilt("hidden is not readable", "everyMoveOfTheTable", store -> new ForwardingStore(store) {
                    @Override
                    public Optional<byte[]> read(StateKey key) {
                        boolean hidden = statusOf(key).isHidden();
                        if (hidden) {
                            reveal(key);
                        }
                        Optional<byte[]> value = super.read(key);
                        if (hidden) {
                            hide(key);
                        }
                        return value;
                    }
                }),
                spoilt("empty is not absent", "anEmptyStateIsAStateAndNotAbsent", store -> new ForwardingStore(store) {
                    @Override
                    public Optional<byte[]> read(StateKey key) {
                        return super.read(key).filter(value -> value.length > 0);
                    }
                }),
                spoilt(
                        "largest state",
                        "aLargerStateIsRefusedNamingBothSizesAndChangesNothing",
                        store -> new ForwardingStore(store) {
                            @Override
                            public void writeShadow(StateKey key, byte[] state, Durability durability) {
                                super.writeShadow(
                                        key,
                                        Arrays.copyOf(state, Math.min(state.length, ToyStore.MAX_STATE_BYTES)),
                                        durability);
                            }
                        }),
                spoilt("null", "nullIsRefusedByEveryMethod", store -> new ForwardingStore(store) {
                    @Override
                    public List<StateKey> keys(String type) {
                        return type == null ? List.of() : super.keys(type);
                    }
                }),
                spoilt("names apart", "everyTypeNameIsKeptApartAndComesBack", store -> new ForwardingStore(store) {
                    @Override
                    public Optional<byte[]> read(StateKey key) {
                        return super.read(StateKey.of(key.type().toLowerCase(Locale.ROOT), key.id()));
                    }
                }),
                spoilt("parents are no types", "oneIdInSeveralTypesIsSeveralKeys", store -> new ForwardingStore(store) {
                    @Override
                    public Set<String> types() {
                        Set<String> types = new HashSet<>(super.types());
                        super.types().forEach(type -> types.add(type.substring(0, type.lastIndexOf('/'))));
                        return types;
                    }
                }),
                spoilt("counts are those of the lists", "theCountsOfTheTypesAreThoseOfTheLists", WriteCounts::new),
                spoilt("counts are exact", "theCountIsExactAfterManyThreadsHaveChangedTheSameKeys", WriteCounts::new),
                spoilt(
                        "at most so many",
                        "aListOfAtMostSoManyKeysHasThatManyIfThereAre",
                        store -> new ForwardingStore(store) {
                            @Override
                            public List<StateKey> keys(String type, int atMost) {
                                return super.keys(type);
                            }
                        }),
                spoilt("lists are snapshots", "listsAreSnapshots", LiveLists::new),
                spoilt(
                        "async visible",
                        "anAsynchronousWriteIsVisibleToTheActionsThatDependOnIt",
                        store -> new ForwardingStore(store) {
                            @Override
                            public CompletionStage<Void> writeAsync(StateKey key, byte[] state) {
                                return CompletableFuture.completedFuture(null);
                            }
                        }),
                spoilt("deferred at once", "deferredEffectsAreSeenAtOnce", store -> new ForwardingStore(store) {
                    @Override
                    public void write(StateKey key, byte[] state, Durability durability) {
                        if (durability == Durability.FORCED) {
                            super.write(key, state, durability);
                        }
                    }
                }),
                spoilt(
                        "interrupt kept",
                        "anInterruptedCallerIsServedAndStaysInterrupted",
                        store -> new ForwardingStore(store) {
                            @Override
                            public void force() {
                                Thread.interrupted();
                                super.force();
                            }
                        }),
                spoilt(
                        "interrupt harmless",
                        "whatAnInterruptedCallerWroteIsThere",
                        store -> new ForwardingStore(store) {
                            @Override
                            public void write(StateKey key, byte[] state, Durability durability) {
                                if (!Thread.currentThread().isInterrupted()) {
                                    super.write(key, state, durability);
                                }
                            }
                        }),
                spoilt("one order", "writesReadsAndRemovesOfOneKeyHaveOneOrder", CachedReads::new),
                spoilt("one winner", "exactlyOneThreadRemovesAState", store -> new ForwardingStore(store) {
                    @Override
                    public boolean remove(StateKey key, Durability durability) {
                        super.remove(key, durability);
                        return true;
                    }
                }),
                spoilt(
                        "closed says so",
                        "everyMethodOfAClosedStoreSaysThatItIsClosed",
                        store -> new ForwardingStore(store) {
                            @Override
                            public List<StateKey> keys(String type) {
                                try {
                                    return super.keys(type);
                                } catch (StoreClosedException closed) {
                                    return List.of();
                                }
                            }
                        }),
                spoilt(
                        "refused is not written",
                        "closingWhileWritersAreActiveKeepsWhatReturnedAndNothingThatThrew",
                        WritesWhatItRefuses::new),
                spoilt(
                        "second opener",
                        "aSecondOpenerIsToldWhoHasTheDirectoryAndChangesNothing",
                        store -> new ForwardingStore(store) {
                            @Override
                            public void write(StateKey key, byte[] state, Durability durability) {
                                super.close();
                                throw new StoreLockedException("not what was asked");
                            }
                        }),
                spoilt("counts", "writesRemovesAndReadsAreCountedWhenTheyDoSomething", Miscounts::new),
                spoilt("held", "recordsAndBytesAreWhatTheStoreHolds", Miscounts::new),
                spoilt("description", "theDescriptionSaysWhatRunsWhere", store -> new ForwardingStore(store) {
                    @Override
                    public StoreDescription description() {
                        StoreDescription right = super.description();
                        return new StoreDescription(
                                right.store(),
                                right.engine(),
                                right.io(),
                                right.directory().map(Path::getParent),
                                "");
                    }
                }),
                spoilt("random history", "aRandomHistoryIsTheSameAsThatOfAMap", store -> new ForwardingStore(store) {
                    @Override
                    public boolean discardShadow(StateKey key, Durability durability) {
                        return !statusOf(key).isHidden() && super.discardShadow(key, durability);
                    }
                }));
    }

    private static Arguments spoilt(String promise, String test, UnaryOperator<ObjectStore> spoiler) {
        return arguments(promise, test, spoiler);
    }

    /** Keeps the caller's array until a reader reads it. */
    private static final class KeepsArrays extends ForwardingStore {
        private final Map<StateKey, byte[]> kept = new ConcurrentHashMap<>();

        KeepsArrays(ObjectStore store) {
            super(store);
        }

        @Override
        public void write(StateKey key, byte[] state, Durability durability) {
            super.write(key, state, durability);
            kept.put(key, state);
        }

        @Override
        public Optional<byte[]> read(StateKey key) {
            return Optional.ofNullable(kept.get(key)).or(() -> super.read(key));
        }
    }

    /** Hands the same array to every reader. */
    private static final class SharesArrays extends ForwardingStore {
        private final Map<StateKey, byte[]> shared = new ConcurrentHashMap<>();

        SharesArrays(ObjectStore store) {
            super(store);
        }

        @Override
        public Optional<byte[]> read(StateKey key) {
            return super.read(key).map(value -> shared.computeIfAbsent(key, absent -> value));
        }
    }

    /** Counts each write as a new key. */
    private static final class WriteCounts extends ForwardingStore {
        private final TypeCounts counts = new TypeCounts();

        WriteCounts(ObjectStore store) {
            super(store);
        }

        @Override
        public void write(StateKey key, byte[] state, Durability durability) {
            super.write(key, state, durability);
            counts.changed(key, 1);
        }

        @Override
        public Map<String, Integer> countByType() {
            return counts.snapshot();
        }
    }

    /** Its lists change with the store. */
    private static final class LiveLists extends ForwardingStore {
        private final Set<String> types = ConcurrentHashMap.newKeySet();

        LiveLists(ObjectStore store) {
            super(store);
        }

        @Override
        public Set<String> types() {
            types.addAll(super.types());
            return types;
        }

        @Override
        public void write(StateKey key, byte[] state, Durability durability) {
            super.write(key, state, durability);
            types.add(key.type());
        }
    }

    /** Reads a key once and answers the same ever after. */
    private static final class CachedReads extends ForwardingStore {
        private final Map<StateKey, byte[]> cache = new ConcurrentHashMap<>();

        CachedReads(ObjectStore store) {
            super(store);
        }

        @Override
        public Optional<byte[]> read(StateKey key) {
            super.read(key).ifPresent(value -> cache.putIfAbsent(key, value));
            return Optional.ofNullable(cache.get(key));
        }
    }

    /** While it is closed it writes what it says it refuses. */
    private static final class WritesWhatItRefuses extends ForwardingStore {
        private final CountDownLatch refused = new CountDownLatch(1);
        private volatile boolean closing;
        private volatile boolean written;

        WritesWhatItRefuses(ObjectStore store) {
            super(store);
        }

        @Override
        public void write(StateKey key, byte[] state, Durability durability) {
            super.write(key, state, durability);
            written = true;
            if (closing) {
                refused.countDown();
                throw new StoreClosedException("it is being closed");
            }
        }

        @Override
        public void close() {
            closing = true;
            if (written) {
                awaitRefusal();
            }
            super.close();
        }

        private void awaitRefusal() {
            try {
                refused.await(5, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Forgets removes and shadows in its figures. */
    private static final class Miscounts extends ForwardingStore {
        Miscounts(ObjectStore store) {
            super(store);
        }

        @Override
        public StoreStatistics statistics() {
            StoreStatistics right = super.statistics();
            return new StoreStatistics(
                    right.records(),
                    right.bytes() / 2,
                    right.writes(),
                    0,
                    right.reads(),
                    right.bytesWritten(),
                    right.forces(),
                    right.recordsForced(),
                    right.forceLatency());
        }
    }
}
