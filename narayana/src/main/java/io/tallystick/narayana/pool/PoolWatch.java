package io.tallystick.narayana.pool;

import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.NodePool;
import io.tallystick.store.spi.NodePool.Member;
import io.tallystick.store.spi.NodePool.State;
import io.tallystick.store.spi.RemoteLogs;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Looks after the logs of a pool that nobody has: one whose owner is gone, and one that was closed with work in it.
 * When that has lasted for {@link StoreOption#NODE_POOL_RECOVER_AFTER}, a {@link RecoveryChild} recovers it. Every
 * process of the pool has such a thread; the server tells one of them at a time to begin.
 */
public final class PoolWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PoolWatch.class.getName());
    private static final Duration MOST_BETWEEN_LOOKS = Duration.ofSeconds(30);
    private static final int LOOKS_WITHIN = 10;
    private static final long WAIT_MILLIS = 200;

    private final NodePool pool;
    private final StoreConfiguration wanted;
    private final Duration after;
    private final Optional<Path> recoverWith;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    // By the thread. The epoch with which a closed log was seen to have no work, or with which it was told of.
    private final Map<String, Long> withoutWork = new HashMap<>();
    private final Map<String, Long> toldOf = new HashMap<>();
    private boolean isTroubleTold;

    private PoolWatch(NodePool pool, StoreConfiguration wanted) {
        this.pool = pool;
        this.wanted = wanted;
        this.after = wanted.get(StoreOption.NODE_POOL_RECOVER_AFTER);
        this.recoverWith = wanted.find(StoreOption.NODE_POOL_RECOVER_WITH);
        this.thread = StoreThread.of(this::run, "tallystick-pool-watch");
    }

    /** Begins to look. */
    public static PoolWatch start(NodePool pool, StoreConfiguration wanted) {
        PoolWatch watch = new PoolWatch(pool, wanted);
        watch.thread.start();
        return watch;
    }

    /** Returns when the thread has ended, and its child, if it has one. */
    @Override
    public void close() {
        closed.countDown();
        UninterruptedWait.join(thread);
    }

    private void run() {
        while (!isClosedWithin(pause().toMillis())) {
            try {
                lookOnce();
                isTroubleTold = false;
            } catch (StoreException trouble) {
                tell(trouble);
            }
        }
    }

    private Duration pause() {
        Duration part = after.dividedBy(LOOKS_WITHIN);
        return part.compareTo(MOST_BETWEEN_LOOKS) < 0 ? part : MOST_BETWEEN_LOOKS;
    }

    private void tell(StoreException trouble) {
        if (!isTroubleTold) {
            isTroubleTold = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0436 the pool " + wanted.get(StoreOption.NODE_POOL) + " cannot be looked at, so this process"
                            + " recovers no log of it meanwhile; it goes on looking: " + trouble.messageId() + " "
                            + trouble.getMessage());
        }
    }

    private void lookOnce() {
        for (Member member : pool.look().members()) {
            boolean isLongEnough = member.ownerless()
                    .filter(time -> time.compareTo(after) >= 0)
                    .isPresent();
            if (isLongEnough && needsRecovery(member) && !isClosedWithin(0)) {
                recover(member);
            }
        }
    }

    /** One that is gone may have branches without a record. */
    private boolean needsRecovery(Member member) {
        if (member.state() == State.GONE) {
            return true;
        }
        if (Long.valueOf(member.epoch()).equals(withoutWork.get(member.node()))) {
            return false;
        }
        boolean hasWork = RemoteLogs.of(wanted.get(StoreOption.STORE))
                .inspect(wanted.toBuilder()
                        .set(StoreOption.NODE_ID, member.node())
                        .build())
                .filter(log -> log.records().stream()
                        .anyMatch(record -> NarayanaRecords.isWork(record.key().type())))
                .isPresent();
        if (!hasWork) {
            withoutWork.put(member.node(), member.epoch());
        }
        return hasWork;
    }

    private void recover(Member member) {
        if (recoverWith.isEmpty()) {
            if (!Long.valueOf(member.epoch()).equals(toldOf.put(member.node(), member.epoch()))) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "TALLY0435 nobody recovers the log of " + member + ", whose transactions may hold locks; set "
                                + StoreOption.NODE_POOL_RECOVER_WITH.key()
                                + ", start another process of the pool, or run io.tallystick.narayana.RecoverNode"
                                + " --node " + member.node());
            }
            return;
        }
        if (!pool.claimRecovery(member, after)) {
            return;
        }
        try (RecoveryChild child = RecoveryChild.start(recoverWith.get(), member.node(), wanted)) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "TALLY0434 the log of " + member + " is recovered by a process of its own, pid=" + child.pid());
            while (!child.hasEnded(WAIT_MILLIS)) {
                if (isClosedWithin(0)) {
                    return;
                }
            }
            LOG.log(
                    child.status() == 0 ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
                    "TALLY0434 the process that recovers the log of " + member.node() + " has ended with status "
                            + child.status() + (child.status() == 0 ? "" : "; its last line, TALLY0421, says why"));
        } catch (IOException refused) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0434 no process can be started that recovers the log of " + member + "; it is tried again: "
                            + refused.getMessage());
        } catch (InterruptedException notOurs) { // nobody interrupts this thread; close asks in another way
            throw new IllegalStateException(notOurs);
        }
    }

    private boolean isClosedWithin(long millis) {
        try {
            return closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException notOurs) {
            throw new IllegalStateException(notOurs);
        }
    }
}
