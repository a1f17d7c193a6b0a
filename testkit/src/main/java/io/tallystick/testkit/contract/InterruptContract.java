package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.States;
import io.tallystick.testkit.Threads;
import io.tallystick.testkit.oracle.StoreCall;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** An interrupt of a caller does not spoil its call, stays visible afterwards, and does not affect other callers. */
interface InterruptContract extends StoreContract {
    @TestFactory
    default Stream<DynamicTest> anInterruptedCallerIsServedAndStaysInterrupted() {
        StateKey key = key(1);
        return StoreCall.all(key).stream()
                .map(call -> dynamicTest(call.name(), () -> {
                    store().write(key(2), States.of("before " + call.name()), Durability.FORCED);
                    boolean interrupted;
                    Thread.currentThread().interrupt();
                    try {
                        call.call().accept(store());
                    } finally {
                        interrupted = Thread.interrupted();
                    }
                    assertThat(interrupted)
                            .as("interrupt flag after " + call.name())
                            .isTrue();
                    assertThat(store().failure()).isEmpty();
                    store().write(key(3), States.of("after " + call.name()), Durability.FORCED);
                    assertThat(store().read(key(2))).contains(States.of("before " + call.name()));
                }));
    }

    @Test
    default void whatAnInterruptedCallerWroteIsThere() {
        boolean interrupted;
        Thread.currentThread().interrupt();
        try {
            store().write(key(1), States.of("written"), Durability.FORCED);
            store().write(key(2), States.of("removed"), Durability.FORCED);
            store().remove(key(2), Durability.FORCED);
            store().writeShadow(key(3), States.of("shadow"), Durability.FORCED);
            store().commitShadow(key(3), Durability.FORCED);
        } finally {
            interrupted = Thread.interrupted();
        }
        assertThat(interrupted).isTrue();
        subject().nowAndAfterReopening(store -> {
            assertThat(store.keys(StoreUnderTest.TYPE)).containsExactlyInAnyOrder(key(1), key(3));
            assertThat(store.read(key(1))).contains(States.of("written"));
            assertThat(store.read(key(3))).contains(States.of("shadow"));
        });
    }

    @Test
    default void anInterruptedCallerMayOpenAndClose() {
        store().write(key(1), States.of("state"), Durability.DEFERRED);
        boolean interrupted;
        Thread.currentThread().interrupt();
        try {
            subject().reopened();
        } finally {
            interrupted = Thread.interrupted();
        }
        assertThat(interrupted).isTrue();
        store().write(key(2), States.of("state"), Durability.FORCED);
        if (subject().isDurable()) {
            assertThat(store().read(key(1))).contains(States.of("state"));
        }
    }

    @Test
    default void anInterruptDuringAWriteLeavesItsMarkAndNothingElse() {
        CountDownLatch writing = new CountDownLatch(1);
        AtomicReferenceArray<Thread> victim = new AtomicReferenceArray<>(1);
        AtomicInteger written = new AtomicInteger();
        Threads.run(2, thread -> {
            if (thread == 0) {
                assertThat(writing.await(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                victim.get(0).interrupt();
                return;
            }
            victim.set(0, Thread.currentThread());
            try {
                int afterInterrupt = 0;
                for (int i = 0; afterInterrupt < 10; i++) {
                    store().write(key(i), States.of("state " + i), Durability.FORCED);
                    written.incrementAndGet();
                    writing.countDown();
                    afterInterrupt += Thread.currentThread().isInterrupted() ? 1 : 0;
                }
            } finally {
                Thread.interrupted();
            }
        });
        subject().nowAndAfterReopening(store -> assertThat(store.keys(StoreUnderTest.TYPE))
                .hasSize(written.get()));
    }

    @Test
    default void aStormOfInterruptsOverManyThreadsLosesNothing() {
        int writers = 8;
        int writes = 25;
        Thread[] threads = new Thread[writers];
        CountDownLatch running = new CountDownLatch(writers);
        CountDownLatch left = new CountDownLatch(writers);
        Threads.run(writers + 1, thread -> {
            if (thread == writers) {
                assertThat(running.await(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                while (left.getCount() > 0) {
                    for (Thread victim : threads) {
                        victim.interrupt();
                    }
                    Thread.yield();
                }
                return;
            }
            threads[thread] = Thread.currentThread();
            running.countDown();
            try {
                for (int i = 0; i < writes; i++) {
                    StateKey key = key(thread * 1_000L + i);
                    store().write(key, States.of("state " + i), Durability.FORCED);
                    store().writeShadow(key, States.of("shadow " + i), Durability.DEFERRED);
                    if (i % 2 == 0) {
                        store().remove(key, Durability.FORCED);
                        store().commitShadow(key, Durability.FORCED);
                    }
                    Thread.interrupted();
                }
            } finally {
                left.countDown();
            }
        });
        assertThat(store().failure()).isEmpty();
        subject().nowAndAfterReopening(store -> {
            List<String> wrong = new ArrayList<>();
            for (int thread = 0; thread < writers; thread++) {
                for (int i = 0; i < writes; i++) {
                    String expected = (i % 2 == 0 ? "shadow " : "state ") + i;
                    String found = store.read(key(thread * 1_000L + i))
                            .map(States::text)
                            .orElse("nothing");
                    if (!found.equals(expected)) {
                        wrong.add(thread + "/" + i + ": " + found + " instead of " + expected);
                    }
                }
            }
            assertThat(wrong).isEmpty();
        });
    }
}
