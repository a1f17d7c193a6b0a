package io.tallystick.store.log;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StatisticsRecorder;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The settings of a {@link LogStore}.
 *
 * @param threadName the beginning of its threads' names
 * @param storeId the store's unique id, 16 bytes; checksums begin with it
 * @param maxStateBytes the largest state, bytes
 * @param waitStrategy how threads wait for a write; {@link WaitStrategy#EXPECTED_END} except in tests
 * @param completionExecutor where stages of asynchronous writes complete; empty for threads of the store
 * @param clock monotonic time
 * @param statistics where to count
 * @param description what the store tells of itself
 */
public record LogSettings(
        String threadName,
        byte[] storeId,
        int maxStateBytes,
        WaitStrategy waitStrategy,
        Optional<Executor> completionExecutor,
        NanoClock clock,
        StatisticsRecorder statistics,
        StoreDescription description) {}
