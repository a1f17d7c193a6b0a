package io.tallystick.narayana.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallystick.narayana.doubt.LinesOf;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.NodePool.Member;
import io.tallystick.store.spi.NodePool.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which logs without an owner are recovered, and what becomes of the others when one cannot be looked at. */
@Timeout(120)
class PoolWatchTest {
    private static final Predicate<Member> NO_WORK = member -> false;

    @TempDir
    private Path directory;

    private final LinesOf lines = new LinesOf(PoolWatch.class);

    @Test
    void aLogThatCannotBeLookedAtKeepsNobodyFromTheNextOne() throws IOException {
        FakePool pool = new FakePool(
                FakePool.ownerless("orders-1", State.CLEAN, false),
                FakePool.ownerless("orders-2", State.CLEAN, false),
                FakePool.ownerless("orders-3", State.CLEAN, false));
        try (PoolWatch watch = new PoolWatch(pool, settings().build(), member -> {
            if (member.node().equals("orders-1")) {
                throw new StoreIoException("simulated", new IOException("simulated"));
            }
            if (member.node().equals("orders-2")) {
                throw new OutOfMemoryError("simulated");
            }
            return true;
        })) {
            watch.begin();
            await().untilAsserted(() -> assertThat(lines.all())
                    .anyMatch(line -> line.contains("TALLY0435") && line.contains("orders-3"))
                    .anyMatch(line -> line.contains("TALLY0436 orders-1"))
                    .anyMatch(line -> line.contains("TALLY0436 orders-2")));
        } finally {
            lines.close();
        }
    }

    /** It may have left branches that were prepared, and not decided. */
    @Test
    void aLogThatWasClosedWithoutRecordsIsRecoveredUntilOneRecoveryHasFoundNothingLeft() throws IOException {
        FakePool pool = new FakePool(FakePool.ownerless("orders-1", State.CLEAN, false));
        try (PoolWatch watch = new PoolWatch(pool, recoveringWith(0), NO_WORK)) {
            watch.begin();
            await().untilAsserted(() -> assertThat(pool.finished).containsExactly("orders-1"));
        } finally {
            lines.close();
        }
        assertThat(pool.claimed).containsExactly("orders-1");
    }

    /** Status 5: no record is left, and not every resource has said that nothing is. */
    @Test
    void aRecoveryThatHasProvenNothingFinishesNoLog() throws IOException {
        FakePool pool = new FakePool(FakePool.ownerless("orders-1", State.GONE, false));
        try (PoolWatch watch = new PoolWatch(pool, recoveringWith(5), NO_WORK)) {
            watch.begin();
            await().untilAsserted(() ->
                    assertThat(lines.all()).anyMatch(line -> line.contains("status 5") && line.contains("TALLY0421")));
        } finally {
            lines.close();
        }
        assertThat(pool.finished).isEmpty();
    }

    @Test
    void aFinishedLogIsLeftAlone() throws IOException {
        FakePool pool = new FakePool(
                FakePool.ownerless("orders-1", State.CLEAN, true), FakePool.ownerless("orders-2", State.GONE, false));
        try (PoolWatch watch = new PoolWatch(pool, recoveringWith(0), NO_WORK)) {
            watch.begin();
            await().untilAsserted(() -> assertThat(pool.finished).isNotEmpty());
        } finally {
            lines.close();
        }
        assertThat(pool.claimed).containsExactly("orders-2");
    }

    /** The end of a pod has seconds: its log must be closed in them. */
    @Test
    void closingDoesNotWaitForAServerThatGivesNoAnswer() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        FakePool pool = new FakePool(FakePool.ownerless("orders-1", State.CLEAN, false));
        PoolWatch watch = new PoolWatch(pool, settings().build(), member -> {
            asked.countDown();
            try {
                answers.await();
            } catch (InterruptedException ends) {
                Thread.currentThread().interrupt();
            }
            return false;
        });
        watch.begin();
        asked.await();
        try {
            Thread closing = new Thread(watch::close);
            closing.start();
            closing.join(Duration.ofSeconds(60).toMillis());
            assertThat(closing.isAlive()).isFalse();
        } finally {
            answers.countDown();
            lines.close();
        }
    }

    private StoreConfiguration recoveringWith(int status) throws IOException {
        Path classes = Path.of("target", "test-classes").toAbsolutePath();
        Path arguments = Files.writeString(
                directory.resolve("arguments"),
                "-XX:TieredStopAtLevel=1\n-cp \"" + classes + "\"\n" + EndsWith.class.getName() + "\n" + status + "\n");
        return settings().set(StoreOption.NODE_POOL_RECOVER_WITH, arguments).build();
    }

    private static StoreConfiguration.Builder settings() {
        return StoreConfiguration.builder()
                .store("postgresql")
                .set(StoreOption.NODE_POOL, "orders")
                .set(StoreOption.NODE_POOL_RECOVER_AFTER, Duration.ofSeconds(10));
    }
}
