package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.log.LogStore;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Dependent actions that write again, in files so small that a write waits for room all the time. Room comes from the
 * engine's own threads, and none of them may be the one that waits.
 */
@Timeout(300)
class AsyncChainsTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long CAPACITY = 8 * StoreOption.MIB;
    private static final long PATIENCE_SECONDS = 90;
    private static final int WRITES = 6_400;

    private final SimulatedDisk disk = new SimulatedDisk();
    private LogStore store;
    private boolean isHanging = true;

    @AfterEach
    void end() {
        if (store != null && !isHanging) { // closing would hang, too
            store.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "segmented, direct, 2",
        "segmented, direct, 4",
        "segmented, direct, 16",
        "segmented, direct, 64",
        "segmented, channel, 4",
        "segmented, channel, 16",
        "segmented, channel, 64",
        "artemis, direct, 4",
        "artemis, direct, 16",
        "artemis, direct, 64"
    })
    void chainsOfWritesThatWaitForRoomComeToTheirEnd(String engine, String io, int chains) throws Exception {
        open(configuration(engine, io));
        runChains(chains);
    }

    @ParameterizedTest
    @CsvSource({"segmented, direct, 2", "segmented, direct, 64", "artemis, direct, 64"})
    void chainsComeToTheirEndWhileOthersCommit(String engine, String io, int chains) throws Exception {
        open(configuration(engine, io));
        List<CompletableFuture<Void>> commits = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            int firstKey = 10_000_000 + 100_000 * caller;
            commits.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 500; i++) {
                            store.write(key(firstKey + i), new byte[600], Durability.FORCED);
                            store.remove(key(firstKey + i), Durability.DEFERRED);
                        }
                    },
                    task -> {
                        Thread thread = new Thread(task);
                        thread.setDaemon(true);
                        thread.start();
                    }));
        }
        runChains(chains);
        for (CompletableFuture<Void> commit : commits) {
            commit.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @CsvSource({"segmented, direct", "segmented, channel", "artemis, direct"})
    void onAFullDiskAChainEndsWithAnExceptionThatSaysSo(String engine, String io) throws Exception {
        open(configuration(engine, io));
        isHanging = true;
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int chain = 0; chain < 16; chain++) {
            int firstKey = 1_000_000 * chain;
            ends.add(inBackground(() -> filling(firstKey)));
        }
        for (CompletableFuture<Void> end : ends) {
            assertThatThrownBy(() -> end.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(StoreFullException.class);
        }
        isHanging = false;
        assertThat(store.failure()).isEmpty();
        assertThat(store.remove(key(0), Durability.FORCED)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"segmented, direct", "artemis, channel"})
    void stagesCompleteOnTheExecutorOfTheConfiguration(String engine, String io) throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "given"));
        try {
            open(configuration(engine, io).completionExecutor(executor));
            CompletableFuture<Void> chained = new CompletableFuture<>();
            executor.execute(chained::join); // no stage completes before all actions are attached
            CompletableFuture<String> thread = store.writeAsync(key(1), new byte[10])
                    .thenCompose(nothing -> store.writeAsync(key(2), new byte[10]))
                    .thenApply(nothing -> Thread.currentThread().getName())
                    .toCompletableFuture();
            chained.complete(null);
            assertThat(thread.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("given");
            isHanging = false;
        } finally {
            executor.shutdown();
        }
    }

    private CompletionStage<Void> filling(int number) {
        return store.writeAsync(key(number), new byte[4_000]).thenCompose(nothing -> filling(number + 1));
    }

    private void runChains(int chains) throws Exception {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int chain = 0; chain < chains; chain++) {
            int firstKey = 100_000 * chain;
            ends.add(inBackground(() -> chain(firstKey, WRITES / chains)));
        }
        for (CompletableFuture<Void> end : ends) {
            end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        isHanging = false;
        // Those of the callers that commit come and go.
        assertThat(store.keys("/T")).doesNotContainAnyElementsOf(keysOfChains(chains));
    }

    private static List<StateKey> keysOfChains(int chains) {
        List<StateKey> keys = new ArrayList<>();
        for (int chain = 0; chain < chains; chain++) {
            for (int i = 0; i < WRITES / chains; i++) {
                keys.add(key(100_000 * chain + i));
            }
        }
        return keys;
    }

    private CompletionStage<Void> chain(int number, int left) {
        if (left == 0) {
            return CompletableFuture.completedStage(null);
        }
        return store.writeAsync(key(number), new byte[600]).thenCompose(nothing -> {
            store.remove(key(number), Durability.DEFERRED);
            return chain(number + 1, left - 1);
        });
    }

    /** The first write of a chain may wait for room, too. */
    private static CompletableFuture<Void> inBackground(Supplier<CompletionStage<Void>> chain) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> chain.get().whenComplete((nothing, failure) -> {
            if (failure == null) {
                end.complete(null);
            } else {
                end.completeExceptionally(failure instanceof CompletionException ? failure.getCause() : failure);
            }
        }));
        thread.setDaemon(true);
        thread.start();
        return end;
    }

    private void open(StoreConfiguration.Builder configuration) {
        disk.setCapacity(CAPACITY);
        store = JournalStores.open(configuration, disk);
    }

    private static StoreConfiguration.Builder configuration(String engine, String io) {
        return JournalStores.small(DIRECTORY, engine, io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }
}
