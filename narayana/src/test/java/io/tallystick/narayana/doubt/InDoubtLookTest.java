package io.tallystick.narayana.doubt;

import static io.tallystick.narayana.doubt.WrittenRecord.ACTION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.tuple;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.spi.ForwardingStore;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.transaction.xa.XAException;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a running process says of the transactions whose records stay in its log. */
class InDoubtLookTest {
    private static final Instant NOW = Instant.parse("2026-11-27T03:00:00Z");
    private static final Duration STALE = Duration.ofSeconds(5);

    private final ObjectStore store =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());
    private final AtomicLong nanos = new AtomicLong();
    private final Set<ObjectId> open = new HashSet<>();
    private final List<InDoubtTransaction> told = new ArrayList<>();
    private final InDoubtLook look = lookAt(store);

    @AfterEach
    void close() {
        store.close();
    }

    private InDoubtLook lookAt(ObjectStore log) {
        return new InDoubtLook(log, nanos::get, () -> NOW, () -> open::contains, (place, came) -> told.addAll(came));
    }

    @Test
    void aTransactionInDoubtIsShownWithWhatItsRecordTells() {
        WrittenRecord record = new WrittenRecord(1, "orders-2")
                .waiting("java:/accounts")
                .waiting("java:/stock")
                .created(NOW.minusSeconds(90).toEpochMilli());
        write(record);

        InDoubtTransaction seen = only();

        assertThat(seen.logged().state()).isEqualTo(RecordState.IN_DOUBT);
        assertThat(seen.logged().phase()).contains("COMMITTED");
        assertThat(seen.logged().decision()).isEqualTo(Decision.COMMIT);
        assertThat(seen.logged().node()).contains("orders-2");
        assertThat(seen.age()).isEqualTo(Duration.ofSeconds(90));
        assertThat(seen.isAgeOfRecord()).isTrue();
        assertThat(seen.logged().participants())
                .extracting(each -> each.resource().orElse(""), InDoubtParticipant::state)
                .containsExactly(
                        tuple("java:/accounts", InDoubtParticipant.State.WAITING),
                        tuple("java:/stock", InDoubtParticipant.State.WAITING));
        assertThat(seen.logged().participants().get(0).xid()).contains(record.branch("java:/accounts"));
        assertThat(seen.details().keySet())
                .containsExactly(
                        "uid",
                        "type",
                        "state",
                        "phase",
                        "decision",
                        "node",
                        "created",
                        "ageSeconds",
                        "ageSince",
                        "tries",
                        "participants");
        assertThat(seen.toString()).contains("state=in-doubt phase=COMMITTED decision=commit node=orders-2");
    }

    @Test
    void aTransactionThatIsOpenIsNotInDoubtThoughItsRecordIsThere() {
        WrittenRecord record = new WrittenRecord(1, "a").waiting("x");
        write(record);
        open.add(record.key().id());

        assertThat(report().transactions()).isEmpty();

        open.clear();
        nanos.addAndGet(STALE.toNanos());
        assertThat(report().transactions()).hasSize(1);
    }

    @Test
    void aParticipantThatDecidedOnItsOwnIsHeuristic() {
        write(new WrittenRecord(1, "a").rolledBack("x"));

        InDoubtTransaction seen = only();

        assertThat(seen.logged().state()).isEqualTo(RecordState.HEURISTIC);
        assertThat(seen.logged().participants().get(0).state()).isEqualTo(InDoubtParticipant.State.HEURISTIC_ROLLBACK);
    }

    @Test
    void anUnreadableRecordHasAnAgeSinceItWasSeenFirst() {
        store.write(StateKey.of(ACTION, new WrittenRecord(1, "a").key().id()), new byte[9], Durability.FORCED);
        report();
        nanos.addAndGet(Duration.ofMinutes(3).toNanos());

        InDoubtTransaction seen = only();

        assertThat(seen.logged().state()).isEqualTo(RecordState.UNREADABLE);
        assertThat(seen.age()).isEqualTo(Duration.ofMinutes(3));
        assertThat(seen.isAgeOfRecord()).isFalse();
        assertThat(seen.details()).containsEntry("ageSince", "first-seen").containsKey("remark");
    }

    @Test
    void aRecordThatRecoveryHasWrittenAnewIsReadAnew() {
        write(new WrittenRecord(1, "a").waiting("x").waiting("y"));
        assertThat(only().logged().participants()).hasSize(2);
        write(new WrittenRecord(1, "a").waiting("y"));
        assertThat(only().logged().participants()).hasSize(1);
        write(new WrittenRecord(1, "a").waiting("z"));
        assertThat(only().logged().participants().get(0).resource()).contains("z");
    }

    @Test
    void aLookIsKeptForAFewSeconds() {
        report();
        write(new WrittenRecord(1, "a").waiting("x"));
        nanos.addAndGet(STALE.toNanos() - 1);
        assertThat(report().transactions()).isEmpty();
        assertThat(look.lookNow().orElseThrow().transactions()).hasSize(1);
    }

    @Test
    void aClosedLogHasNoAnswerRatherThanAnEmptyOne() {
        write(new WrittenRecord(1, "a").waiting("x"));
        store.close();

        assertThat(look.look()).isEmpty();
        look.scanBegins();
        assertThat(told).isEmpty();
    }

    @Test
    void manyRecordsCostAsMuchAsAThousand() {
        AtomicInteger asked = new AtomicInteger();
        ObjectStore counting = new ForwardingStore(store) {
            @Override
            public Optional<byte[]> read(StateKey key) {
                asked.incrementAndGet();
                return super.read(key);
            }

            @Override
            public List<StateKey> keys(String type) {
                throw new AssertionError("all keys of " + type + " are listed");
            }
        };
        IntStream.range(0, 20_000).forEach(number -> write(new WrittenRecord(number, "a").waiting("x")));

        InDoubtReport report = lookAt(counting).look().orElseThrow();

        assertThat(report.transactions()).hasSize(InDoubtLook.WATCHED);
        assertThat(report.unseen()).isEqualTo(20_000 - InDoubtLook.WATCHED);
        assertThat(asked.get()).isEqualTo(InDoubtLook.WATCHED);
        assertThat(report.countByState()).isEqualTo(Map.of(RecordState.IN_DOUBT, InDoubtLook.WATCHED));
    }

    /** Narayana's recovery thread ends with an exception that reaches it, and nothing is recovered any more. */
    @Test
    void aLookReadsFewRecordsAgainThatNobodyHasWritten() {
        AtomicInteger read = new AtomicInteger();
        ObjectStore counting = new ForwardingStore(store) {
            @Override
            public Optional<byte[]> read(StateKey key) {
                read.incrementAndGet();
                return super.read(key);
            }
        };
        IntStream.range(0, 20_000).forEach(number -> write(new WrittenRecord(number, "a").waiting("x")));
        InDoubtLook counted = lookAt(counting);
        counted.lookNow();
        read.set(0);

        assertThat(counted.lookNow().orElseThrow().transactions()).hasSize(InDoubtLook.WATCHED);

        assertThat(read.get()).isEqualTo(InDoubtLook.WATCHED / 10);
    }

    @Test
    void aRecordThatWasOpenOrWrittenPastTheAdaptorIsReadAnew() {
        write(new WrittenRecord(1, "a").waiting("x").waiting("y"));
        WrittenRecord record = new WrittenRecord(1, "a").waiting("y");
        only();
        open.add(record.key().id());
        assertThat(look.lookNow().orElseThrow().transactions()).isEmpty();
        store.write(record.key(), record.bytes(), Durability.FORCED);
        open.clear();
        assertThat(only().logged().participants()).hasSize(1);

        WrittenRecord last = new WrittenRecord(1, "a").waiting("z");
        store.write(last.key(), last.bytes(), Durability.FORCED);
        IntStream.range(0, 10).forEach(again -> only());
        assertThat(only().logged().participants().get(0).resource()).contains("z");
    }

    @Test
    void theAdaptorTellsOfWhatItWrites() throws Exception {
        TallystickObjectStore adaptor = new TallystickObjectStore(store);
        WrittenRecord record = new WrittenRecord(1, "a").waiting("x").waiting("y");
        Uid uid = new Uid(record.key().id().toBytes());
        String type = ACTION.substring(1);
        adaptor.write_committed(uid, type, new OutputObjectState(uid, type, record.bytes()));
        for (int again = 0; again < 10; again++) {
            assertThat(adaptor.inDoubt().lookNow().orElseThrow().transactions()).hasSize(1);
            byte[] shorter = new WrittenRecord(1, "a").waiting("r" + again).bytes();
            adaptor.write_committed(uid, type, new OutputObjectState(uid, type, shorter));
            InDoubtTransaction seen =
                    adaptor.inDoubt().lookNow().orElseThrow().transactions().get(0);
            assertThat(seen.logged().participants().get(0).resource()).contains("r" + again);
        }
        adaptor.remove_committed(uid, type);
        assertThat(adaptor.inDoubt().lookNow().orElseThrow().transactions()).isEmpty();
    }

    @Test
    void aLookThatFailsDoesNotEndRecovery() {
        write(new WrittenRecord(1, "a").rolledBack("x"));
        for (Throwable failure : List.of(
                new ConcurrentModificationException("a table of Narayana"), new NoClassDefFoundError("a class"))) {
            InDoubtLook failing = new InDoubtLook(
                    store, nanos::get, () -> NOW, () -> throwing(failure), (place, came) -> told.addAll(came));
            try (LinesOf lines = new LinesOf(InDoubtLook.class)) {
                assertThatCode(failing::scanBegins).doesNotThrowAnyException();
                assertThatCode(failing::scanBegins).doesNotThrowAnyException();
                assertThat(lines.all()).hasSize(1).allMatch(line -> line.startsWith("TALLY0427 "));
            }
        }
    }

    private static Predicate<ObjectId> throwing(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    /** As a log handler of the application may. */
    @Test
    void aListenerThatFailsDoesNotEndRecoveryAndHearsOfTheTransactionAgain() {
        write(new WrittenRecord(1, "a").rolledBack("x"));
        AtomicBoolean isFailing = new AtomicBoolean(true);
        InDoubtLook failing = new InDoubtLook(store, nanos::get, () -> NOW, () -> open::contains, (place, came) -> {
            if (isFailing.get()) {
                throw new IllegalStateException("no space on the disk of the logs");
            }
            told.addAll(came);
        });
        assertThatCode(failing::scanBegins).doesNotThrowAnyException();

        isFailing.set(false);
        failing.scanBegins();
        failing.scanBegins();

        assertThat(told).hasSize(1);
    }

    @Test
    void recordsBehindTheFirstThousandAreSeenAtTheNextScans() {
        IntStream.range(0, 3_000).forEach(number -> write(new WrittenRecord(number, "a").waiting("x")));
        Set<StateKey> seen = new HashSet<>();
        for (int scan = 0; scan < 25; scan++) {
            look.scanBegins();
            report().transactions().forEach(each -> seen.add(each.logged().key()));
            assertThat(report().transactions()).hasSizeLessThanOrEqualTo(InDoubtLook.WATCHED);
            nanos.addAndGet(STALE.toNanos());
        }
        assertThat(seen).hasSize(3_000);
    }

    /** The alert must not come and go. */
    @Test
    void whatNeedsAPersonStaysInSight() {
        IntStream.range(0, 900).forEach(number -> write(new WrittenRecord(number, "a").rolledBack("x")));
        report();
        IntStream.range(900, 3_000).forEach(number -> write(new WrittenRecord(number, "a").waiting("x")));
        for (int scan = 0; scan < 5; scan++) {
            look.scanBegins();
            assertThat(look.lookNow().orElseThrow().countByState())
                    .containsEntry(RecordState.HEURISTIC, 900)
                    .containsEntry(RecordState.IN_DOUBT, 100);
        }
        assertThat(told).hasSize(900);
    }

    @Test
    void oneWatchedRecordDoesNotHideTheOthersOfAGreatLog() {
        write(new WrittenRecord(0, "a").waiting("x"));
        report();
        IntStream.range(1, 20_000).forEach(number -> write(new WrittenRecord(number, "a").waiting("x")));
        nanos.addAndGet(STALE.toNanos());

        assertThat(report().transactions()).hasSize(InDoubtLook.WATCHED);
    }

    /** A hostile record takes up to two million steps, and the look holds its lock meanwhile. */
    @Test
    void aLookDecodesForABoundedTimeAndTheNextOnesGoOn() {
        int records = 100;
        IntStream.range(0, records).forEach(number -> write(new WrittenRecord(number, "a").waiting("x")));
        long slow = InDoubtLook.DECODING_NANOS / 5;
        InDoubtLook slowly = new InDoubtLook(
                store,
                () -> nanos.getAndAdd(slow),
                () -> NOW,
                () -> open::contains,
                (place, came) -> told.addAll(came));

        InDoubtReport first = slowly.lookNow().orElseThrow();

        assertThat(first.transactions()).hasSizeBetween(1, 10);
        assertThat(first.unseen()).isEqualTo(records - first.transactions().size());
        for (int look = 0; look < records; look++) {
            slowly.lookNow();
        }
        assertThat(slowly.lookNow().orElseThrow().transactions()).hasSize(records);
        assertThat(slowly.lookNow().orElseThrow().unseen()).isZero();
    }

    @Test
    void aTransactionIsToldOnceAndOnlyAfterRecoveryHasTriedTwiceInVain() {
        WrittenRecord record = new WrittenRecord(1, "a").waiting("x");
        write(record);
        look.scanBegins();
        assertThat(told).isEmpty();
        look.tried(record.key());
        nanos.addAndGet(Duration.ofMinutes(2).toNanos());
        look.scanBegins();
        assertThat(told).isEmpty();
        look.tried(record.key());
        look.scanBegins(); // in the middle of the scan that tries
        assertThat(told).isEmpty();
        nanos.addAndGet(Duration.ofMinutes(2).toNanos());

        look.scanBegins();
        look.scanBegins();

        assertThat(told).hasSize(1);
        assertThat(told.get(0).tries().count()).isEqualTo(2);
        assertThat(told.get(0).tries().next()).isPresent();
    }

    @Test
    void oneThatNeedsAPersonIsToldAtTheFirstScan() {
        write(new WrittenRecord(1, "a").rolledBack("x"));
        look.scanBegins();
        assertThat(told).hasSize(1);
    }

    @Test
    void whatIsSettledAndComesAgainIsToldAgain() {
        WrittenRecord record = new WrittenRecord(1, "a").rolledBack("x");
        write(record);
        look.scanBegins();
        store.remove(record.key(), Durability.FORCED);
        look.scanBegins();
        write(record);
        look.scanBegins();
        assertThat(told).hasSize(2);
    }

    @Test
    void theLastAnswerOfAResourceIsShown() {
        WrittenRecord record = new WrittenRecord(1, "last-error").waiting("x");
        write(record);
        BranchXid xid = new BranchXid(record.branch("x"));

        LastErrors.add(xid, new XAException(XAException.XAER_RMFAIL));
        assertThat(only().logged().participants().get(0).lastError()).contains("XAException.XAER_RMFAIL");

        LastErrors.remove(xid);
        nanos.addAndGet(STALE.toNanos());
        assertThat(only().logged().participants().get(0).lastError()).isEmpty();
    }

    /** Narayana's recovery lists the Uids, and then reads each record. */
    @Test
    void theAdaptorTellsOfTheScansAndTriesOfRecovery() throws Exception {
        TallystickObjectStore adaptor = new TallystickObjectStore(store);
        WrittenRecord record = new WrittenRecord(1, "a").waiting("x");
        write(record);
        String type = ACTION.substring(1);
        assertThat(adaptor.allObjUids(type, new InputObjectState())).isTrue();
        assertThat(adaptor.read_committed(new Uid(record.key().id().toBytes()), type))
                .isNotNull();

        InDoubtTransaction seen =
                adaptor.inDoubt().lookNow().orElseThrow().transactions().get(0);

        assertThat(seen.tries().count()).isEqualTo(1);
        assertThat(seen.tries().next().orElseThrow()).isPositive();
        assertThat(InDoubtLook.of(store)).isSameAs(adaptor.inDoubt());
    }

    @Test
    void linesAreBoundedAndTheRecorderHearsOfEach(@TempDir Path directory) throws Exception {
        List<InDoubtTransaction> many = new ArrayList<>();
        for (int number = 0; number < DoubtEvents.LINES + 5; number++) {
            write(new WrittenRecord(number, "a").rolledBack("x"));
        }
        many.addAll(report().transactions());
        Path file = directory.resolve("recording.jfr");
        try (LinesOf lines = new LinesOf(InDoubtLook.class);
                Recording recording = new Recording()) {
            recording.start();
            DoubtEvents.came("/var/lib/tx", many);
            recording.stop();
            recording.dump(file);
            assertThat(lines.all()).hasSize(DoubtEvents.LINES + 1).allMatch(line -> line.startsWith("TALLY0422 "));
            assertThat(lines.all().get(DoubtEvents.LINES)).contains("5 more transactions");
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.tallystick.InDoubt"))
                .toList();
        assertThat(events).hasSize(DoubtEvents.LINES + 5);
        assertThat(events.get(0).getString("state")).isEqualTo("heuristic");
        assertThat(events.get(0).getString("decision")).isEqualTo("commit");
        assertThat(events.get(0).getString("store")).isEqualTo("/var/lib/tx");
    }

    @Test
    void managementClientsSeeWhatIsInDoubt() throws Exception {
        WrittenRecord record = new WrittenRecord(1, "orders-2").rolledBack("java:/accounts");
        write(record);
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        Runnable end = InDoubtManagement.register(store, InDoubtLook.of(store));
        try {
            InDoubtMXBean bean = JMX.newMXBeanProxy(
                    server,
                    server.queryNames(new ObjectName("io.tallystick:type=InDoubt,*"), null)
                            .iterator()
                            .next(),
                    InDoubtMXBean.class);
            assertThat(bean.getCountByState()).isEqualTo(Map.of("heuristic", 1));
            assertThat(bean.getUnseen()).isZero();
            assertThat(bean.getOldestSeconds()).isPositive();
            assertThat(bean.getOldestOpenSeconds()).isEqualTo(-1);
            assertThat(bean.getOldestOpen()).isEmpty();
            assertThat(bean.list(0)).isEmpty();
            assertThat(bean.list(10)).hasSize(1);
            assertThat(bean.list(10).get(0)).contains("state=heuristic", "resource=java:/accounts");
            String uid = NarayanaUid.text(record.key().id());
            assertThat(bean.show(uid)).startsWith("uid=" + uid + " type=");
            assertThat(bean.show("0:1:2:3:4")).isEmpty();
            String values = "=[^ \\]]+"; // ages go on
            String whole = InDoubtLook.of(store)
                    .lookNow()
                    .orElseThrow()
                    .transactions()
                    .get(0)
                    .toString();
            assertThat(bean.show(uid).replaceAll(values, "=")).isEqualTo(whole.replaceAll(values, "="));
            assertThat(bean.list(10).get(0).replaceAll(values, "=")).isEqualTo(whole.replaceAll(values, "="));
        } finally {
            end.run();
        }
        assertThat(server.queryNames(new ObjectName("io.tallystick:type=InDoubt,*"), null))
                .isEmpty();
    }

    /** A name in a record is text from a disk. */
    @Test
    void controlCharactersOfARecordDoNotReachALine() {
        write(new WrittenRecord(1, "a\u001b[2J").waiting("java:/x\nTALLY0001"));
        assertThat(only().toString()).doesNotContain("\u001b", "\n");
    }

    private void write(WrittenRecord record) {
        store.write(record.key(), record.bytes(), Durability.FORCED);
        look.written(record.key());
    }

    private InDoubtReport report() {
        return look.look().orElseThrow();
    }

    private InDoubtTransaction only() {
        List<InDoubtTransaction> all = look.lookNow().orElseThrow().transactions();
        assertThat(all).hasSize(1);
        return all.get(0);
    }
}
