package io.tallystick.narayana.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.narayana.audit.BranchEnding.Result;
import io.tallystick.narayana.doubt.BranchXid;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.recover.Resources.Source;
import io.tallystick.store.StoreFencedException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the end of a branch tells about the branch. */
@Timeout(60)
class BranchEndingTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private final BranchId branch = new WrittenRecord(1, "a").branch("x");
    private final AtomicInteger deeds = new AtomicInteger();

    /** The answer of a resource to the deed. */
    private interface Deed {
        void run() throws XAException;
    }

    @Test
    void aSourceThatFailsDoesNotHideTheOneThatHasTheBranch() {
        Source broken = new Source("Broken", () -> {
            throw new XAException(XAException.XAER_RMFAIL);
        });
        assertThat(end(Decision.ROLLBACK, () -> {}, broken, source(() -> {})).result())
                .isEqualTo(Result.ENDED);
        BranchEnding.Answer unanswered = end(Decision.ROLLBACK, () -> {}, broken);
        assertThat(unanswered.result()).isEqualTo(Result.NOT_TOUCHED);
        assertThat(unanswered.text()).contains("helper 1 (Broken): XAException.XAER_RMFAIL");
        assertThat(end(Decision.ROLLBACK, () -> {}, new Source("Empty", List::of))
                        .result())
                .isEqualTo(Result.NOT_TOUCHED);
    }

    @Test
    void aSourceThatHangsDoesNotHideTheOneThatHasTheBranch() {
        CountDownLatch never = new CountDownLatch(1);
        Source hanging = new Source("Hanging", () -> {
            never.await();
            return List.of();
        });
        BranchEnding.Answer answer = new BranchEnding(List.of(hanging, source(() -> {})), branch, Decision.ROLLBACK)
                .end(() -> {}, Duration.ofSeconds(4));

        assertThat(answer.result()).isEqualTo(Result.ENDED);
        assertThat(deeds).hasValue(1);
        never.countDown();
    }

    @Test
    void aSourceThatHangsIsNamedIfNoOtherHasTheBranch() {
        CountDownLatch never = new CountDownLatch(1);
        Source hanging = new Source("Hanging", () -> {
            never.await();
            return List.of();
        });
        BranchEnding.Answer answer =
                new BranchEnding(List.of(hanging), branch, Decision.ROLLBACK).end(() -> {}, Duration.ofSeconds(2));

        assertThat(answer.result()).isEqualTo(Result.NOT_TOUCHED);
        assertThat(answer.text()).contains("helper 1 (Hanging): it gave no answer in time");
        never.countDown();
    }

    /** Helpers of containers give all resources of a server at once. */
    @Test
    void aResourceThatFailsOrHangsDoesNotHideThoseBehindItInItsHelper() {
        CountDownLatch never = new CountDownLatch(1);
        XAResource hanging = resource(() -> {
            await(never);
            return new Xid[0];
        });
        XAResource broken = resource(() -> {
            throw new XAException(XAException.XAER_RMFAIL);
        });
        XAResource sound = resource(() -> new Xid[] {new BranchXid(branch)});
        Source all = new Source("Three", () -> List.of(broken, hanging, sound));
        BranchEnding.Answer answer =
                new BranchEnding(List.of(all), branch, Decision.ROLLBACK).end(() -> {}, Duration.ofSeconds(4));

        assertThat(answer.result()).isEqualTo(Result.ENDED);
        never.countDown();
    }

    private static XAResource resource(Callable<Xid[]> listed) {
        return (XAResource) Proxy.newProxyInstance(
                BranchEndingTest.class.getClassLoader(),
                new Class<?>[] {XAResource.class},
                (proxy, method, arguments) -> method.getName().equals("recover") ? listed.call() : null);
    }

    @Test
    void aResourceThatHangsInTheDeedIsNamed() {
        CountDownLatch never = new CountDownLatch(1);
        BranchEnding.Answer answer = new BranchEnding(
                        List.of(new Source("Empty", List::of), source(() -> await(never))), branch, Decision.ROLLBACK)
                .end(() -> {}, Duration.ofSeconds(2));

        assertThat(answer.result()).isEqualTo(Result.UNKNOWN);
        assertThat(answer.text()).isEqualTo("helper 2 (Given): it gave no answer in time");
        never.countDown();
    }

    @ParameterizedTest
    @CsvSource({
        XAException.XA_HEURRB + ",COMMIT,DECIDED_ALONE",
        XAException.XA_HEURCOM + ",ROLLBACK,DECIDED_ALONE",
        XAException.XA_HEURMIX + ",ROLLBACK,DECIDED_ALONE",
        XAException.XA_RBROLLBACK + ",COMMIT,DECIDED_ALONE",
        XAException.XA_RBTIMEOUT + ",ROLLBACK,ENDED",
        XAException.XAER_NOTA + ",COMMIT,UNKNOWN",
        XAException.XAER_RMERR + ",COMMIT,UNKNOWN",
        XAException.XAER_PROTO + ",COMMIT,REFUSED"
    })
    void anErrorTellsWhatMayHaveBecomeOfTheBranch(int code, Decision outcome, Result expected) {
        Source refusing = source(() -> {
            throw new XAException(code);
        });
        assertThat(end(outcome, () -> {}, refusing).result()).isEqualTo(expected);
    }

    /** The log is closed by then, and a node may have it. */
    @Test
    void aBranchWhoseTimeIsOverIsNotEndedLater() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch permitted = new CountDownLatch(1);
        BranchEnding ending = new BranchEnding(List.of(source(() -> {})), branch, Decision.ROLLBACK);
        Thread[] worker = new Thread[1];
        BranchEnding.Answer answer = ending.end(
                () -> {
                    worker[0] = Thread.currentThread();
                    permitted.countDown();
                    await(released);
                },
                Duration.ofMillis(500));
        permitted.await();
        released.countDown();
        worker[0].join();

        assertThat(answer.result()).isEqualTo(Result.NOT_TOUCHED);
        assertThat(deeds).hasValue(0);
    }

    @Test
    void aLogThatIsNotOursAnyMoreForbidsTheDeed() {
        assertThatThrownBy(() -> end(
                        Decision.ROLLBACK,
                        () -> {
                            throw new StoreFencedException("it was taken", null);
                        },
                        source(() -> {})))
                .isInstanceOf(StoreFencedException.class);
        assertThat(deeds).hasValue(0);
    }

    private BranchEnding.Answer end(Decision outcome, Runnable permission, Source... sources) {
        return new BranchEnding(List.of(sources), branch, outcome).end(permission, LONG);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Source source(Deed deed) {
        XAResource resource = (XAResource) Proxy.newProxyInstance(
                BranchEndingTest.class.getClassLoader(),
                new Class<?>[] {XAResource.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "recover" -> new Xid[] {new BranchXid(branch)};
                    case "commit", "rollback" -> {
                        deeds.incrementAndGet();
                        deed.run();
                        yield null;
                    }
                    default -> null;
                });
        return new Source("Given", () -> List.of(resource));
    }
}
