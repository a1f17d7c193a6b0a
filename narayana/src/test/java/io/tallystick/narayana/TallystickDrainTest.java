package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.coordinator.ActionManager;
import com.arjuna.ats.arjuna.coordinator.ActionStatus;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import io.tallystick.narayana.drain.RecoveryScan;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.spi.ForwardingStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that is to go for good finishes what it has begun, and says what it could not. */
class TallystickDrainTest {
    private static final String ACTIONS = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final Duration BUDGET = Duration.ofSeconds(10);
    private static final Duration SAFETY = Duration.ofSeconds(5);

    private final AtomicLong nanos = new AtomicLong();
    private final ObjectStore log =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());

    @AfterEach
    void acceptAgain() {
        TxControl.enable();
        log.close();
    }

    @Test
    void anIdleProcessIsDrainedWhenRecoveryHasLookedAndCommitsNothingNewUntilItResumes() {
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
    void anEmptyLogOfAnotherProcessIsNoProof() {
        ObjectStore taken = new ForwardingStore(log) {
            @Override
            public void proveOwned() {
                throw new StoreFencedException("taken over", null);
            }
        };
        TallystickDrain drain =
                new TallystickDrain(taken, Optional.of(scan(() -> {}, Optional.empty())), nanos::get, nanos::addAndGet);

        DrainReport report = drain.drain(BUDGET);

        assertThat(report.status()).isEqualTo(DrainReport.Status.UNPROVEN);
        assertThat(report).asString().contains("taken over");
    }

    @Test
    void anEmptyLogThatHasFailedIsNoProof() {
        ObjectStore failed = new ForwardingStore(log) {
            @Override
            public Optional<StoreException> failure() {
                return Optional.of(new StoreFailedException("the disk has failed", null));
            }
        };
        TallystickDrain drain = new TallystickDrain(
                failed, Optional.of(scan(() -> {}, Optional.empty())), nanos::get, nanos::addAndGet);

        DrainReport report = drain.drain(BUDGET);

        assertThat(report.status()).isEqualTo(DrainReport.Status.UNPROVEN);
        assertThat(report).asString().contains("the disk has failed");
    }

    @Test
    void anEmptyLogIsNoProofWithoutAWayToMakeRecoveryLook() {
        DrainReport report = TallystickDrain.of(log).drain(BUDGET);

        assertThat(report.status()).isEqualTo(DrainReport.Status.UNPROVEN);
        assertThat(report.isDrained()).isFalse();
        assertThat(report.took()).isLessThan(BUDGET);
        assertThat(report)
                .asString()
                .startsWith("unproven: keep the volume")
                .contains("no way to start a recovery scan");
    }

    @Test
    void tooLittleTimeIsNoProofAndTheReportSaysHowMuchIsNeeded() {
        DrainReport report = drain(() -> {}, pause -> {}).drain(SAFETY);

        assertThat(report.status()).isEqualTo(DrainReport.Status.UNPROVEN);
        assertThat(report).asString().contains("the time was too short", "takes 7 s at least");
    }

    @Test
    void twoCompleteScansAreBegunWhenTheOrphanSafetyIntervalHasPassedSinceTheFirst() {
        List<Long> begun = new ArrayList<>();

        DrainReport report = drain(() -> begun.add(nanos.get()), pause -> {}).drain(BUDGET);

        assertThat(report.status()).isEqualTo(DrainReport.Status.DRAINED);
        assertThat(begun).hasSize(3);
        assertThat(begun.get(0)).isZero();
        assertThat(begun.get(1) - begun.get(0)).isGreaterThanOrEqualTo(SAFETY.toNanos());
        assertThat(begun.get(2)).isGreaterThan(begun.get(1));
    }

    @Test
    void aScanThatMetAProblemProvesNothingAndTheReportNamesIt() {
        DrainReport report = new TallystickDrain(
                        log,
                        Optional.of(scan(() -> {}, Optional.of("a resource is away"))),
                        nanos::get,
                        nanos::addAndGet)
                .drain(BUDGET);

        assertThat(report.status()).isEqualTo(DrainReport.Status.UNPROVEN);
        assertThat(report).asString().contains("a resource is away");
    }

    @Test
    void aTransactionThatHasBegunMayEndAndTheProofBeginsAfterIt() {
        AtomicAction action = new AtomicAction();
        action.begin();
        AtomicInteger scans = new AtomicInteger();
        AtomicLong ended = new AtomicLong();
        TallystickDrain drain = drain(() -> {}, pause -> {
            if (scans.incrementAndGet() == 3) {
                assertThat(action.commit()).isEqualTo(ActionStatus.COMMITTED);
                ended.set(nanos.get());
            }
        });

        DrainReport report = drain.drain(BUDGET);

        assertThat(report.isDrained()).isTrue();
        assertThat(report.took().toNanos() - ended.get()).isGreaterThanOrEqualTo(SAFETY.toNanos());
    }

    /** Narayana's own count leaves out all but the running ones. */
    @Test
    void aTransactionThatPreparesIsActive() {
        AtomicAction action = new AtomicAction();
        action.begin();
        List<Integer> seen = new ArrayList<>();
        action.add(new PreparingRecord(() -> {
            seen.add(ActionManager.manager().getNumberOfInflightTransactions());
            seen.add(TallystickDrain.of(log).activeTransactions());
            DrainReport report = drain(() -> {}, pause -> {}).drain(Duration.ofSeconds(1));
            assertThat(report.status()).isEqualTo(DrainReport.Status.LEFT);
        }));

        assertThat(action.commit()).isEqualTo(ActionStatus.COMMITTED);

        assertThat(seen).containsExactly(0, 1);
    }

    @Test
    void aDrainThatIsTakenBackMeanwhileIsNotDrained() {
        TallystickDrain drain = drain(() -> {}, pause -> TxControl.enable());

        DrainReport report = drain.drain(BUDGET);

        assertThat(report.status()).isEqualTo(DrainReport.Status.UNPROVEN);
        assertThat(report).asString().contains("resume()");
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
        write("/EISNAME", 6);
        write("/Recovery/TransactionStatusManager", 7);

        DrainReport report = drain(() -> {}, pause -> {}).drain(BUDGET);

        assertThat(report.isDrained()).isFalse();
        assertThat(report.pendingActions()).isEqualTo(2);
        assertThat(report.leftByType()).containsOnlyKeys(ACTIONS).containsEntry(ACTIONS, 2);
        assertThat(report.otherRecords()).isEqualTo(3);
        assertThat(report.took()).isBetween(BUDGET, BUDGET.plusMillis(50));
        assertThat(report).asString().contains("not drained: keep the volume", ACTIONS + "=2", "otherRecords=3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/XTS/WSAT/ParticipantRecoveryRecord",
                "/XTS/WSBA/ParticipantRecoveryRecord",
                "/CosTransactions/XAResourceRecord",
                "/StateManager/BasicAction/TwoPhaseCoordinator/ArjunaTransactionImple/ServerTransaction",
                "/StateManager/BasicAction/AtomicAction/Sagas/BACoordinator"
            })
    void participantsOfOtherTransactionManagersAreWork(String type) {
        write(type, 1);

        DrainReport report = drain(() -> {}, pause -> {}).drain(BUDGET);

        assertThat(report.status()).isEqualTo(DrainReport.Status.LEFT);
        assertThat(report.leftByType()).containsOnlyKeys(type);
        assertThat(report.otherRecords()).isZero();
    }

    /** The coordinator keeps a failed LRA until a person deletes it, and recovery does nothing with it. */
    @Test
    void aFailedLraDoesNotKeepTheVolumeAndIsNotInDoubt() {
        write("/StateManager/BasicAction/LongRunningAction/Failed", 1);

        DrainReport report = drain(() -> {}, pause -> {}).drain(BUDGET);

        assertThat(report.isDrained()).isTrue();
        assertThat(report.otherRecords()).isEqualTo(1);
        assertThat(NarayanaHealth.of(log).inDoubt()).hasValue(0);
    }

    @Test
    void anLraThatIsUnderWayIsWork() {
        write("/StateManager/BasicAction/LongRunningAction", 1);

        assertThat(drain(() -> {}, pause -> {}).drain(BUDGET).status()).isEqualTo(DrainReport.Status.LEFT);
    }

    @Test
    void narayanasNotesAreNoWorkAndAgeNoStore() {
        write("/EISNAME", 1);
        write("/Recovery/TransactionStatusManager", 2);
        write("/Recovery/FactoryContact", 3);
        write("/RecoveryCoordinator", 4);

        assertThat(drain(() -> {}, pause -> {}).drain(BUDGET)).satisfies(report -> {
            assertThat(report.isDrained()).isTrue();
            assertThat(report.otherRecords()).isZero();
        });
        assertThat(log.health().oldestRecordAge()).isEmpty();
        assertThat(NarayanaHealth.of(log).inDoubt()).hasValue(0);
    }

    @Test
    void healthSaysThatTheProcessIsDrainedUntilItResumes() {
        TallystickDrain drain = drain(() -> {}, pause -> {
            assertThat(log.health().isServing()).isFalse();
        });

        drain.drain(BUDGET);

        assertThat(log.health().state()).isEqualTo(StoreHealth.State.DRAINING);
        assertThat(log.health().isServing()).isFalse();
        drain.resume();
        assertThat(log.health().state()).isEqualTo(StoreHealth.State.OPEN);
        assertThat(log.health().isServing()).isTrue();
    }

    @Test
    void theRefusalOfNewTransactionsIsLoggedOnceAndNamesTheDrain() {
        try (LogOf lines = new LogOf(TallystickDrain.class)) {
            TallystickDrain drain = drain(() -> {}, pause -> {});
            drain.drain(BUDGET);
            drain.drain(BUDGET);
            drain.resume();
            drain.resume();
            assertThat(lines.messages()).hasSize(2);
            assertThat(lines.messages().get(0))
                    .startsWith("TALLY0410")
                    .contains("drain", "UnexpectedRollbackException");
            assertThat(lines.messages().get(1)).startsWith("TALLY0411");
        }
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
        assertThat(drain.getOldestTransactionSeconds()).isEqualTo(-1);
        assertThat(drain.getOldestTransaction()).isEmpty();
        assertThat(drain.getLeastSeconds())
                .isEqualTo(TallystickDrain.leastBudget().toSeconds())
                .isPositive();
        assertThat(drain.drain(0)).startsWith("unproven");
        assertThat(drain.isAccepting()).isFalse();
        drain.resume();
        assertThat(drain.isAccepting()).isTrue();
        lease.release();
        assertThat(server.queryNames(names, null)).isEmpty();
        assertThat(server.queryNames(new ObjectName("io.tallystick:*"), null)).isEmpty();
    }

    /** A drain whose pauses take the time they are asked for, and do this. */
    private TallystickDrain drain(Runnable recovery, LongConsumer pause) {
        return new TallystickDrain(log, Optional.of(scan(recovery, Optional.empty())), nanos::get, paused -> {
            nanos.addAndGet(paused);
            pause.accept(paused);
        });
    }

    private RecoveryScan scan(Runnable recovery, Optional<String> problem) {
        return new RecoveryScan() {
            @Override
            public Duration orphanSafety() {
                return SAFETY;
            }

            @Override
            public Duration leastBudget() {
                return SAFETY.plusSeconds(2);
            }

            @Override
            public Optional<Result> run(Duration atMost) {
                long begun = nanos.get();
                recovery.run();
                return Optional.of(new Result(begun, nanos.get(), problem));
            }
        };
    }

    private void write(String type, int number) {
        log.write(key(type, number), new byte[1], Durability.FORCED);
    }

    private static StateKey key(String type, int number) {
        return StateKey.of(type, ObjectId.of(new byte[] {(byte) number}));
    }
}
