package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.journal.passages.PassageLoader;
import io.tallystick.store.spi.UninterruptedWait;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A caller whose stack is nearly full harms no other one, whatever it asks of the store. */
@Timeout(600)
class DeepStackTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final String DEEP = "deep-caller";
    private static final long STACK_BYTES = 512 * 1024;
    // Every level of the stack costs a call, and those far from the end are all alike.
    private static final long SWEPT_STACK_BYTES = 256 * 1024;
    private static final int PATIENCE_SECONDS = 60;

    /** The stack ends where the batch is to be taken, and again where the store is to be failed. */
    @Test
    void anotherCallerIsToldAlthoughTheLeadingOneHasNoStackToTellItself() throws Exception {
        Runnable overflow = () -> {
            if (Thread.currentThread().getName().equals(DEEP)) {
                throw new StackOverflowError("simulated");
            }
        };
        try (PassageLoader journal = new PassageLoader(
                Map.of("GroupCommit.take calls lock", overflow, "GroupCommit.fail calls compareAndSet", overflow))) {
            ObjectStore store = journal.open(configuration(), new SimulatedDisk());
            CompletableFuture<Throwable> deep = inBackground(DEEP, () -> {
                while (true) { // until it leads
                    write(store, 1);
                }
            });
            CompletableFuture<Throwable> other = inBackground("other-caller", () -> write(store, 2));

            assertThat(get(deep)).as("what the deep caller is told").isInstanceOf(StoreException.class);
            get(other); // it is on disk or not, and its caller knows
            assertThat(get(inBackground("late-caller", () -> write(store, 3))))
                    .isInstanceOf(StoreFailedException.class);
            assertThat(store.failure()).isPresent();
            assertThat(get(inBackground("closer", store::close))).isInstanceOf(StoreException.class);
        }
    }

    /** At each place of its own from the push on, a leading caller's stack ends once. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GroupCommit.take calls lock",
                "GroupCommit.take calls takeAll",
                "GroupCommit.take calls layOut",
                "GroupCommit.count calls durable",
                "Settlement.settle calls succeed",
                "GroupCommit.conclude calls giveBack",
                "SegmentedLog.write calls write"
            })
    void everybodyIsToldWhereverTheLeadingCallersStackEnds(String place) throws Exception {
        AtomicInteger thrown = new AtomicInteger();
        Runnable overflow = () -> {
            if (Thread.currentThread().getName().equals(DEEP) && thrown.incrementAndGet() == 1) {
                throw new StackOverflowError("simulated");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of(place, overflow))) {
            ObjectStore store = journal.open(configuration(), new SimulatedDisk());
            get(inBackground(DEEP, () -> {
                while (thrown.get() == 0) { // a writer may be quicker
                    write(store, 1);
                }
            }));
            get(inBackground("other-caller", () -> write(store, 2)));
            get(inBackground("closer", store::close));
        }
    }

    /** The leading caller leaves its batch to a writer thread, and that one's stack ends as well. */
    @Test
    void everybodyIsToldAlthoughTheThreadThatEndsTheBatchCannotEither() throws Exception {
        AtomicInteger leader = new AtomicInteger();
        AtomicInteger writer = new AtomicInteger();
        Runnable overflow = () -> {
            String name = Thread.currentThread().getName();
            if (name.equals(DEEP) && leader.incrementAndGet() == 1
                    || name.contains("-writer-") && leader.get() > 0 && writer.incrementAndGet() == 1) {
                throw new StackOverflowError("simulated");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of("Settlement.settle calls succeed", overflow))) {
            ObjectStore store = journal.open(configuration(), new SimulatedDisk());
            CompletableFuture<Throwable> deep = inBackground(DEEP, () -> {
                while (leader.get() == 0) { // a writer may be quicker
                    write(store, 1);
                }
            });
            get(deep);
            get(inBackground("other-caller", () -> write(store, 2)));
            get(inBackground("closer", store::close));
            assertThat(writer.get()).isPositive();
        }
    }

    /**
     * A batch waits for a deferred change in another one that is on its way, and the thread that fails the store cannot
     * tell its callers. Nobody else asks for anything.
     */
    @Test
    void theCallersOfABatchThatIsHeldAreToldAlthoughTheThreadThatFailsTheStoreCannot() throws Exception {
        CountDownLatch deferredFlies = new CountDownLatch(1);
        CountDownLatch deferredMayLand = new CountDownLatch(1);
        CountDownLatch isHeld = new CountDownLatch(1);
        AtomicInteger writes = new AtomicInteger();
        AtomicInteger unsettled = new AtomicInteger();
        Runnable writing = () -> {
            if (writes.incrementAndGet() == 1) {
                deferredFlies.countDown();
                UninterruptedWait.through(deferredMayLand::await);
            }
        };
        Runnable overflow = () -> {
            if (Thread.currentThread().getName().equals(DEEP)) {
                throw new StackOverflowError("simulated");
            }
        };
        Runnable overflowOnce = () -> {
            if (unsettled.incrementAndGet() == 1) {
                throw new StackOverflowError("simulated");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of(
                "SegmentedLog.write calls write",
                writing,
                "LandingOrder.land returns",
                isHeld::countDown,
                "LogStore.count calls isTombstone",
                overflow,
                "GroupCommit.fail calls settleWholly",
                overflowOnce))) {
            ObjectStore store =
                    journal.openSleeping(JournalStores.small(DIRECTORY, "segmented", "direct"), new SimulatedDisk());
            CompletableFuture<Throwable> deferring = inBackground("deferring", () -> {
                store.write(key(1), new byte[10], Durability.DEFERRED);
                store.force();
            });
            assertThat(deferredFlies.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Throwable> held = inBackground("held", () -> write(store, 2));
            assertThat(isHeld.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Throwable> deep = inBackground(DEEP, () -> write(store, 3));
            assertThat(get(deep)).isNotNull();
            deferredMayLand.countDown();

            assertThat(get(held)).isInstanceOf(StoreException.class);
            get(deferring);
            assertThat(get(inBackground("closer", store::close))).isInstanceOf(StoreException.class);
            assertThat(unsettled.get()).isGreaterThan(1);
        }
    }

    @Test
    void callsFromEveryDepthOfAStackThatOverflowsLeaveAStoreThatWorks() throws Exception {
        sweep(store -> store.write(key(1), new byte[100], Durability.FORCED));
        sweep(ObjectStore::force);
        sweep(store -> store.write(key(1), new byte[100], Durability.DEFERRED));
        sweep(store -> store.writeAsync(key(1), new byte[100]));
        sweep(store -> {
            store.writeShadow(key(2), new byte[100], Durability.FORCED);
            store.remove(key(1), Durability.FORCED);
        });
    }

    @Test
    void closingFromEveryDepthOfAStackThatOverflowsLosesNothing() throws Exception {
        SimulatedDisk disk = new SimulatedDisk();
        ObjectStore store = JournalStores.open(configuration(), disk);
        store.write(key(1), new byte[100], Durability.DEFERRED);
        Thread closing = new Thread(null, () -> descend(store, ObjectStore::close), DEEP, STACK_BYTES);
        closing.start();
        closing.join();
        try (ObjectStore again = JournalStores.open(configuration(), disk)) {
            assertThat(again.read(key(1))).isPresent();
        }
    }

    private void sweep(Consumer<ObjectStore> call) throws Exception {
        ObjectStore store = JournalStores.open(configuration(), new SimulatedDisk());
        call.accept(store); // loads the classes: the JVM may not survive an overflow that ends the loading of one
        for (int round = 0; round < 3; round++) { // interpreted first, then compiled
            CompletableFuture<Throwable> deep = new CompletableFuture<>();
            Thread thread = new Thread(
                    null,
                    () -> {
                        try {
                            descend(store, call);
                            deep.complete(null);
                        } catch (Throwable any) { // the test's own thread judges it
                            deep.complete(any);
                        }
                    },
                    DEEP,
                    SWEPT_STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            Throwable ended = deep.get(2 * PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(ended).isNull();
            assertThat(get(inBackground("other-caller", () -> write(store, 2)))).isNull();
        }
        assertThat(store.failure()).isEmpty();
        assertThat(get(inBackground("closer", store::close))).isNull();
    }

    /** Calls the store at every level on the way back from the deepest one. */
    private static void descend(ObjectStore store, Consumer<ObjectStore> call) {
        try {
            descend(store, call);
        } catch (StackOverflowError deepest) {
            // and up again
        }
        call(store, call);
    }

    private static void call(ObjectStore store, Consumer<ObjectStore> call) {
        try {
            call.accept(store);
        } catch (VirtualMachineError refused) { // nothing was done; the runtime wraps an overflow while it links code
            assertThat(refused.toString()).contains("StackOverflowError");
        }
    }

    private static void write(ObjectStore store, int number) {
        store.write(key(number), new byte[10], Durability.FORCED);
    }

    private static Throwable get(CompletableFuture<Throwable> thrown) throws InterruptedException, ExecutionException {
        try {
            return thrown.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException hung) {
            throw new AssertionError("it hangs", hung);
        }
    }

    private static CompletableFuture<Throwable> inBackground(String name, Runnable task) {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                        thrown.complete(null);
                    } catch (Throwable any) { // the test's own thread judges it
                        thrown.complete(any);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thrown;
    }

    private static StoreConfiguration.Builder configuration() {
        return JournalStores.small(DIRECTORY, "segmented", "channel");
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
