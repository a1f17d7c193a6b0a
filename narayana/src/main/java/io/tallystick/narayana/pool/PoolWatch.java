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
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Looks after the logs of a pool that nobody has: one whose owner is gone, and one that was closed and may have left
 * branches. When that has lasted for {@link StoreOption#NODE_POOL_RECOVER_AFTER}, a {@link RecoveryChild} recovers it.
 * Every process of the pool has such a thread; the server tells one of them at a time to begin.
 */
public final class PoolWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PoolWatch.class.getName());
    private static final Duration MOST_BETWEEN_LOOKS = Duration.ofSeconds(30);
    private static final int LOOKS_WITHIN = 10;
    private static final long WAIT_MILLIS = 200;
    private static final long END_MILLIS = 8_000;
    // As docs/recover-node.md has them.
    private static final int RECOVERED = 0;
    private static final int STATUS_OF_JAVA = 1;

    private final NodePool pool;
    private final StoreConfiguration wanted;
    private final Predicate<Member> hasWork;
    private final Duration after;
    private final Optional<Path> recoverWith;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    // By the thread. The epoch with which a closed log was seen to have no work, or with which it was told of.
    private final Map<String, Long> withoutWork = new HashMap<>();
    private final Map<String, Long> toldOf = new HashMap<>();
    // What could not be looked at the last time: nodes, or the whole pool by its name.
    private final Set<String> inTrouble = new HashSet<>();

    /** @param hasWork whether there are records of transactions in the log of a node */
    PoolWatch(NodePool pool, StoreConfiguration wanted, Predicate<Member> hasWork) {
        this.pool = pool;
        this.wanted = wanted;
        this.hasWork = hasWork;
        this.after = wanted.get(StoreOption.NODE_POOL_RECOVER_AFTER);
        this.recoverWith = wanted.find(StoreOption.NODE_POOL_RECOVER_WITH);
        this.thread = StoreThread.of(this::run, "tallystick-pool-watch");
    }

    /** Begins to look. */
    public static PoolWatch start(NodePool pool, StoreConfiguration wanted) {
        PoolWatch watch = new PoolWatch(pool, wanted, member -> hasWork(wanted, member));
        watch.begin();
        return watch;
    }

    void begin() {
        thread.start();
    }

    private static boolean hasWork(StoreConfiguration wanted, Member member) {
        return RemoteLogs.of(wanted.get(StoreOption.STORE))
                .inspect(wanted.toBuilder()
                        .set(StoreOption.NODE_ID, member.node())
                        .build())
                .filter(log -> log.records().stream()
                        .anyMatch(record -> NarayanaRecords.isWork(record.key().type())))
                .isPresent();
    }

    /** Ends the child, if there is one. Does not wait for long: a question to the server may be under way. */
    @Override
    public void close() {
        closed.countDown();
        UninterruptedWait.through(() -> thread.join(END_MILLIS));
    }

    private void run() {
        String name = wanted.get(StoreOption.NODE_POOL);
        while (!isClosedWithin(pause().toMillis())) {
            lookAt(name, this::lookOnce);
        }
    }

    /** One that cannot be looked at keeps nobody from the others, and is told once. */
    private void lookAt(String what, Runnable look) {
        try {
            look.run();
            inTrouble.remove(what);
        } catch (RuntimeException | Error trouble) { // a log may be too large for this heap
            if (inTrouble.add(what)) {
                tell(what, trouble);
            }
        }
    }

    private Duration pause() {
        Duration part = after.dividedBy(LOOKS_WITHIN);
        return part.compareTo(MOST_BETWEEN_LOOKS) < 0 ? part : MOST_BETWEEN_LOOKS;
    }

    private static void tell(String what, Throwable trouble) {
        try {
            String reason = trouble instanceof StoreException told
                    ? told.messageId() + " " + told.getMessage()
                    : trouble.toString();
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0436 " + what + " of the pool cannot be looked at, so this process does not recover it"
                            + " meanwhile; it goes on looking: " + reason);
        } catch (RuntimeException | Error untold) { // such as missing memory; the next look tries again
        }
    }

    private void lookOnce() {
        for (Member member : pool.look().members()) {
            boolean isLongEnough = member.ownerless()
                    .filter(time -> time.compareTo(after) >= 0)
                    .isPresent();
            if (isLongEnough && !member.isFinished() && !isClosedWithin(0)) {
                lookAt(member.node(), () -> {
                    if (needsRecovery(member)) {
                        recover(member);
                    }
                });
            }
        }
    }

    /**
     * One that is gone may have branches without a record, and so may one that was closed before they were finished.
     * Where nobody can recover it, a closed one without records is not worth a warning: each update leaves some.
     */
    private boolean needsRecovery(Member member) {
        if (member.state() == State.GONE || recoverWith.isPresent()) {
            return true;
        }
        if (Long.valueOf(member.epoch()).equals(withoutWork.get(member.node()))) {
            return false;
        }
        if (hasWork.test(member)) {
            return true;
        }
        withoutWork.put(member.node(), member.epoch());
        return false;
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
            int status = child.status();
            if (status == RECOVERED) {
                pool.noteFinished(member);
            }
            LOG.log(
                    status == RECOVERED ? System.Logger.Level.INFO : System.Logger.Level.WARNING,
                    "TALLY0434 the process that recovers the log of " + member.node() + " has ended with status "
                            + status + whatSaysWhy(status));
        } catch (IOException refused) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0434 no process can be started that recovers the log of " + member + "; it is tried again: "
                            + refused.getMessage());
        } catch (InterruptedException notOurs) { // nobody interrupts this thread; close asks in another way
            throw new IllegalStateException(notOurs);
        }
    }

    private static String whatSaysWhy(int status) {
        return switch (status) {
            case RECOVERED -> "";
            case STATUS_OF_JAVA ->
                "; java itself has ended, see its lines above and the file " + StoreOption.NODE_POOL_RECOVER_WITH.key();
            default -> "; its last line, TALLY0421, says why. It is tried again";
        };
    }

    private boolean isClosedWithin(long millis) {
        try {
            return closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException notOurs) {
            throw new IllegalStateException(notOurs);
        }
    }
}
