package io.tallystick.narayana.recover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter.Vote;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Of filters that leave a branch alone only the first one is asked, and ours tells of the branch. */
class FilterOrderTest {
    private final XARecoveryModule module = new XARecoveryModule();
    private final XAResourceOrphanFilter ours = xid -> Vote.ABSTAIN;

    /** The module has asked Narayana for its stores. */
    @AfterEach
    void useNone() {
        StoreManager.shutdown();
    }

    @Test
    void ourFilterIsAskedBeforeThoseThatWereThere() {
        List<XAResourceOrphanFilter> before = List.copyOf(FilterOrder.of(module));

        FilterOrder.putFirst(module, ours);

        assertThat(before).isNotEmpty();
        assertThat(FilterOrder.of(module)).startsWith(ours).endsWith(before.toArray(XAResourceOrphanFilter[]::new));
        assertThat(FilterOrder.of(module)).hasSize(before.size() + 1);
    }

    @Test
    void aFilterThatWasBehindTheOthersIsThereOnce() {
        module.addXAResourceOrphanFilter(ours);
        int filters = FilterOrder.of(module).size();

        FilterOrder.putFirst(module, ours);
        FilterOrder.putFirst(module, ours);

        assertThat(FilterOrder.of(module)).startsWith(ours).hasSize(filters);
    }

    /** A pass holds the module while a resource gives no answer, and whoever lists records puts the filter in order. */
    @Test
    void aFilterThatIsTheFirstWaitsForNoPass() throws Exception {
        FilterOrder.putFirst(module, ours);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        Thread pass = new Thread(() -> {
            synchronized (module) {
                held.countDown();
                awaitUnchecked(answered);
            }
        });
        pass.start();
        try {
            held.await();
            assertThatCode(() -> CompletableFuture.runAsync(() -> FilterOrder.putFirst(module, ours))
                            .get(20, TimeUnit.SECONDS))
                    .doesNotThrowAnyException();
        } finally {
            answered.countDown();
            pass.join();
        }
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException nobodyDoes) {
            throw new IllegalStateException(nobodyDoes);
        }
    }
}
