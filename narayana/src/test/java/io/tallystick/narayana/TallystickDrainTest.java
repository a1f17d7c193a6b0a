package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.coordinator.ActionStatus;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is to go for good finishes what it has begun, and says what it could not. */
class TallystickDrainTest {
    private static final String ACTIONS = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final Duration BUDGET = Duration.ofSeconds(10);

    private final AtomicLong nanos = new AtomicLong();
    private final ObjectStore log =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());

    @AfterEach
    void acceptAgain() {
        TxControl.enable();
        log.close();
    }

    @Test
    void anIdleProcessIsDrainedAtOnceAndCommitsNothingNewUntilItResumes() {
        TallystickDrain drain = drain(() -> {}, pause -> {});

        assertThat(drain.drain(BUDGET)).satisfies(report -> {
            assertThat(report.isDrained()).isTrue();
            assertThat(report).asString().startsWith("drained activeTransactions=0 pendingActions=0");
        });
        assertThat(drain.isAccepting()).isFalse();
        AtomicAction late = new AtomicAction();
        assertThat(late.begin()).isEqualTo(ActionStatus.ABORT_ONLY);
        assertThat(late.commit()).isEqualTo(ActionStatus.ABORTED);
        drain.resume();
        AtomicAction action = new AtomicAction();
        assertThat(action.begin()).isEqualTo(ActionStatus.RUNNING);
        action.abort();
    }

    @Test
    void aTransactionThatHasBegunMayEnd() {
        AtomicAction action = new AtomicAction();
        action.begin();
        AtomicInteger looks = new AtomicInteger();
        TallystickDrain drain = drain(() -> {}, pause -> {
            if (looks.incrementAndGet() == 3) {
                assertThat(action.commit()).isEqualTo(ActionStatus.COMMITTED);
            }
        });

        assertThat(drain.drain(BUDGET).isDrained()).isTrue();
        assertThat(looks).hasValue(3);
    }

    @Test
    void recoveryIsAskedToFinishWhatIsInTheLogOnceNoTransactionIsActive() {
        write(ACTIONS, 1);
        TallystickDrain drain = drain(() -> log.remove(key(ACTIONS, 1), Durability.FORCED), pause -> {});

        assertThat(drain.drain(BUDGET).isDrained()).isTrue();
    }

    @Test
    void whatIsLeftAtTheDeadlineIsTold() {
        write(ACTIONS, 1);
        write(ACTIONS, 2);
        write(ACTIONS + "/Expired", 3);
        write("/StateManager/LockManager/Account", 4);
        write("/StateManager/BasicActionLike", 5);

        DrainReport report = drain(() -> {}, pause -> {}).drain(BUDGET);

        assertThat(report.isDrained()).isFalse();
        assertThat(report.pendingActions()).isEqualTo(2);
        assertThat(report.leftByType()).containsOnlyKeys(ACTIONS).containsEntry(ACTIONS, 2);
        assertThat(report.otherRecords()).isEqualTo(3);
        assertThat(report.took()).isBetween(BUDGET, BUDGET.plusMillis(50));
        assertThat(report).asString().contains("not drained: keep the volume", ACTIONS + "=2", "otherRecords=3");
    }

    @Test
    void anInterruptEndsTheWaiting() {
        write(ACTIONS, 1);
        Thread.currentThread().interrupt();

        DrainReport report = drain(() -> {}, pause -> {}).drain(BUDGET);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(report.isDrained()).isFalse();
    }

    @Test
    void managementClientsCanDrainAnOpenStore(@TempDir Path directory) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName names = new ObjectName("io.tallystick:type=TransactionDrain,*");
        OpenStores stores = new OpenStores(ObjectStores::open);
        OpenStores.Lease lease = stores.acquire(StoreConfiguration.builder()
                .store("file")
                .directory(directory)
                .set("tallystick.jmx", "true")
                .build());

        Set<ObjectName> found = server.queryNames(names, null);
        assertThat(found).hasSize(1);
        TransactionDrainMXBean drain =
                JMX.newMXBeanProxy(server, found.iterator().next(), TransactionDrainMXBean.class);
        assertThat(drain.isAccepting()).isTrue();
        assertThat(drain.getActiveTransactions()).isZero();
        assertThat(drain.getPendingActions()).isZero();
        assertThat(drain.drain(5)).startsWith("drained");
        assertThat(drain.isAccepting()).isFalse();
        drain.resume();
        assertThat(drain.isAccepting()).isTrue();
        lease.release();
        assertThat(server.queryNames(names, null)).isEmpty();
        assertThat(server.queryNames(new ObjectName("io.tallystick:*"), null)).isEmpty();
    }

    /** A drain whose pauses take the time they are asked for, and do this. */
    private TallystickDrain drain(Runnable recovery, LongConsumer pause) {
        return new TallystickDrain(log, recovery, nanos::get, paused -> {
            nanos.addAndGet(paused);
            pause.accept(paused);
        });
    }

    private void write(String type, int number) {
        log.write(key(type, number), new byte[1], Durability.FORCED);
    }

    private static StateKey key(String type, int number) {
        return StateKey.of(type, ObjectId.of(new byte[] {(byte) number}));
    }
}
