package io.tallystick.narayana.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.drain.RecoveryScan;
import io.tallystick.narayana.drain.RecoveryTurn;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.recover.ForgottenRecords;
import io.tallystick.narayana.recover.RecordsAside;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InDoubtSettlingTest {
    private static final String WHO = "Jane Doe";
    private static final String REASON = "booked by hand, T-4711";
    private static final String NODE = "orders-2";

    private final ObjectStore log =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());
    private final WrittenRecord heuristic = new WrittenRecord(1, NODE).rolledBack("java:/stock");
    private final List<String> open = new ArrayList<>();
    private RecoveryTurn.Result turn = RecoveryTurn.Result.RUN;
    private Runnable beforeTurn = () -> {};
    private boolean isRecovering = true;
    private Runnable inScan = () -> {};

    @TempDir
    private Path directory;

    private InDoubtSettling settling;

    @BeforeEach
    void make() {
        settling = of(log);
        settling.switchOn(Optional.of(directory));
        RecordsAside.of(log).alsoIn(directory);
        write(heuristic);
    }

    private InDoubtSettling of(ObjectStore store) {
        return new InDoubtSettling(
                store,
                new SystemDisk(),
                InstantSource.fixed(Instant.parse("2026-11-27T03:12:45Z")),
                () -> id -> open.contains(NarayanaUid.text(id)),
                () -> isRecovering,
                this::turn,
                new Scan(),
                Duration.ofSeconds(5));
    }

    @AfterEach
    void close() {
        log.close();
    }

    private RecoveryTurn.Result turn(Runnable action, Duration atMost) {
        beforeTurn.run();
        if (turn == RecoveryTurn.Result.RUN) {
            action.run();
        }
        return turn;
    }

    private final class Scan implements RecoveryScan {
        @Override
        public Duration orphanSafety() {
            return Duration.ZERO;
        }

        @Override
        public Duration leastBudget() {
            return Duration.ZERO;
        }

        @Override
        public Optional<Result> run(Duration atMost) {
            inScan.run();
            return Optional.of(new Result(0, 0, Optional.empty()));
        }
    }

    private void write(WrittenRecord record) {
        log.write(record.key(), record.bytes(), Durability.FORCED);
    }

    private static String uid(WrittenRecord record) {
        return NarayanaUid.text(record.key().id());
    }

    private String forget(WrittenRecord record) {
        return settling.forget(uid(record), true, REASON, WHO);
    }

    private void assertRefused(WrittenRecord record, String... why) {
        assertThatThrownBy(() -> forget(record))
                .isInstanceOf(SettlingRefusedException.class)
                .message()
                .contains(why);
        assertThat(log.read(record.key())).contains(record.bytes());
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void itIsOffUntilItIsSwitchedOn() {
        assertThat(InDoubtSettling.switchedOn(log)).isEmpty();

        InDoubtSettling.switchOn(log, Optional.empty());

        assertThat(InDoubtSettling.switchedOn(log)).isPresent();
    }

    @Test
    void aHeuristicRecordIsForgottenAndKeptAndTheTrailSaysWhoAndWhy() throws IOException {
        // Recovery has listed the directory before.
        assertThat(RecordsAside.of(log).of(new WrittenRecord(9, NODE).branch("java:/stock")))
                .isEmpty();
        String done = forget(heuristic);

        assertThat(log.statusOf(heuristic.key())).isEqualTo(StateStatus.ABSENT);
        Path kept = directory.resolve(
                "2026-11-27T03-12-45Z-forget-" + uid(heuristic).replace(':', '_') + ".jsonl");
        assertThat(done).contains("uid=" + uid(heuristic), "decision=commit", "kept=" + kept);
        assertThat(Files.readString(kept))
                .contains(Base64.getEncoder().encodeToString(heuristic.bytes()), WrittenRecord.ACTION);
        assertThat(Files.readString(directory.resolve("settled.log")))
                .startsWith("time=2026-11-27T03:12:45Z user=" + WHO + " action=forget uid=" + uid(heuristic))
                .contains(" state=heuristic decision=commit branches-ended=true online=true ")
                .endsWith(" reason=" + REASON + "\n");
        assertThat(RecordsAside.of(log).of(heuristic.branch("java:/stock")))
                .as("recovery leaves a branch of it alone")
                .isPresent();
    }

    /** Otherwise the trail says of a record that it was forgotten which is in the log. */
    @Test
    void theTrailSaysThatARecordWasPerhapsNotRemoved() throws IOException {
        ObjectStore failing = before("remove", () -> {
            throw new StoreIoException("the disk is full", null);
        });
        InDoubtSettling ofFailing = of(failing);
        ofFailing.switchOn(Optional.of(directory));

        assertThatThrownBy(() -> ofFailing.forget(uid(heuristic), true, REASON, WHO))
                .isInstanceOf(SettlingRefusedException.class)
                .hasMessageContaining("is perhaps still in the log");

        assertThat(trail()).hasSize(2).allMatch(line -> line.contains(" action=forget uid=" + uid(heuristic)));
        assertThat(trail().get(0)).doesNotContain("outcome=");
        assertThat(trail().get(1)).contains(".jsonl outcome=unknown reason=" + REASON);
        assertThat(log.read(heuristic.key())).contains(heuristic.bytes());
        assertThat(recoveryKnows()).as("recovery takes it for forgotten").isPresent();
    }

    @Test
    void theTrailSaysThatARecordStays() throws IOException {
        int[] reads = {0};
        ObjectStore changing = before("read", () -> {
            if (++reads[0] == 2) {
                log.write(
                        heuristic.key(), new WrittenRecord(1, NODE).hazard("x").bytes(), Durability.FORCED);
            }
        });
        InDoubtSettling ofChanging = of(changing);
        ofChanging.switchOn(Optional.of(directory));

        assertThatThrownBy(() -> ofChanging.forget(uid(heuristic), true, REASON, WHO))
                .hasMessageContaining("was changed meanwhile, and stays in the log");

        assertThat(trail()).hasSize(2);
        assertThat(trail().get(1)).contains(" action=forget ", " outcome=not-removed reason=" + REASON);
    }

    private List<String> trail() throws IOException {
        return Files.readAllLines(directory.resolve("settled.log"));
    }

    private Optional<Path> recoveryKnows() throws IOException {
        return ForgottenRecords.in(new SystemDisk(), List.of(directory), List.of())
                .placeOf(heuristic.key().id());
    }

    /** The log, which does this before each call of a method. */
    private ObjectStore before(String name, Runnable action) {
        return (ObjectStore) Proxy.newProxyInstance(
                InDoubtSettlingTest.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        action.run();
                    }
                    return method.invoke(log, arguments);
                });
    }

    /** Once the key names no directory any more, or another one, recovery still knows. */
    @Test
    void aLogInADirectoryHasALineOfItsOwnBesideTheKeptRecord() throws IOException {
        Path store = directory.resolve("store");
        Path kept = Files.createDirectory(directory.resolve("kept"));
        try (ObjectStore filed = ObjectStores.open(
                StoreConfiguration.builder().store("file").directory(store).build())) {
            filed.write(heuristic.key(), heuristic.bytes(), Durability.FORCED);
            InDoubtSettling ofFiled = of(filed);
            ofFiled.switchOn(Optional.of(kept));

            ofFiled.forget(uid(heuristic), true, REASON, WHO);

            assertThat(RecordsAside.of(filed).of(heuristic.branch("java:/stock")))
                    .isPresent();
        }
        assertThat(Files.readString(store.resolve("tallystick.quarantine").resolve("settled.log")))
                .contains(" action=forget uid=" + uid(heuristic), " kept=" + kept.resolve("2026"));
    }

    /** It may be a volume that is not mounted: a directory that is made there hides what was forgotten. */
    @Test
    void aConfiguredDirectoryThatIsMissingIsNotMade() {
        Path missing = directory.resolve("missing");
        settling.switchOn(Optional.of(missing));

        assertRefused(heuristic, missing + " is missing", "make the directory, or mount it");
        assertThatThrownBy(() -> settling.retry(REASON, WHO)).hasMessageContaining("mount it");
    }

    /** Otherwise a manager of recovery would be made that never scans by itself. */
    @Test
    void beforeRecoveryIsStartedNothingIsDone() {
        isRecovering = false;

        assertRefused(heuristic, "recovery of this process is not started");
        assertThatThrownBy(() -> settling.retry(REASON, WHO)).hasMessageContaining("is not started");
    }

    @Test
    void anInterruptIsToldAsOne() {
        turn = RecoveryTurn.Result.INTERRUPTED;

        assertRefused(heuristic, "was interrupted. Nothing was changed");
    }

    /** Its name would be read as another field of the trail. */
    @Test
    void aPersonIsNotNamedAsAFieldOfTheTrail() {
        assertThatThrownBy(() -> settling.forget(uid(heuristic), true, REASON, "jane action=forget uid=0:1:2:3:4"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has a '='");
        assertThat(log.read(heuristic.key())).isPresent();
    }

    @Test
    void aGivenUpRecordIsForgotten() {
        WrittenRecord givenUp =
                new WrittenRecord(2, NODE).waiting("java:/stock").givenUp();
        write(givenUp);

        assertThat(forget(givenUp)).contains("state=given-up");
        assertThat(log.statusOf(givenUp.key())).isEqualTo(StateStatus.ABSENT);
    }

    /** An audit finds the branches of an imported transaction by its parent alone. */
    @Test
    void aGivenUpImportedRecordIsForgottenOnlyIfItsParentCanBeRead() {
        WrittenRecord orphaned = new WrittenRecord(2, NODE)
                .waiting("java:/stock")
                .imported(Optional.empty())
                .givenUp();
        write(orphaned);
        assertRefused(orphaned, "it was imported, and the Xid of its parent cannot be read", "Nothing was changed");

        WrittenRecord whole = new WrittenRecord(3, NODE)
                .waiting("java:/stock")
                .imported(Optional.of(new WrittenRecord(4, "orders-9").branch("java:/stock")))
                .givenUp();
        write(whole);
        assertThat(forget(whole)).contains("state=given-up");
    }

    @Test
    void aTransactionThatRecoveryEndsIsRefused() {
        WrittenRecord inDoubt = new WrittenRecord(3, NODE).waiting("java:/stock");
        write(inDoubt);

        assertRefused(inDoubt, "state=in-doubt", "recovery ends it");
    }

    @Test
    void aHeuristicOneIsRefusedWhileAnotherParticipantWaits() {
        WrittenRecord both =
                new WrittenRecord(4, NODE).rolledBack("java:/stock").waiting("java:/accounts");
        write(both);

        assertRefused(both, "java:/accounts is waiting", "recovery still works on it");
    }

    @Test
    void anOpenTransactionIsRefused() {
        open.add(uid(heuristic));

        assertRefused(heuristic, "is open in this process");
    }

    @Test
    void aRecordThatCannotBeReadIsRefused() {
        StateKey key = new WrittenRecord(5, NODE).key();
        log.write(key, new byte[] {1, 2, 3}, Durability.FORCED);

        assertThatThrownBy(() -> settling.forget(NarayanaUid.text(key.id()), true, REASON, WHO))
                .hasMessageContaining("state=unreadable")
                .hasMessageContaining("Nothing was changed");
        assertThat(log.read(key)).isPresent();
    }

    @Test
    void withoutTheWordThatAllBranchesHaveEndedNothingIsDone() {
        assertThatThrownBy(() -> settling.forget(uid(heuristic), false, REASON, WHO))
                .isInstanceOf(SettlingRefusedException.class)
                .hasMessageContaining("AuditNode");
        assertThat(log.read(heuristic.key())).isPresent();
    }

    @Test
    void aReasonAndAPersonAreRequired() {
        for (String bad : new String[] {null, "", "  ", "two\nlines", "x".repeat(501)}) {
            assertThatThrownBy(() -> settling.forget(uid(heuristic), true, bad, WHO))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> settling.forget(uid(heuristic), true, REASON, bad))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> settling.retry(bad, WHO)).isInstanceOf(IllegalArgumentException.class);
        }
        for (String bad : new String[] {null, "", "../etc", "0:1:2:3"}) {
            assertThatThrownBy(() -> settling.forget(bad, true, REASON, WHO))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(log.read(heuristic.key())).isPresent();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void ofTwoOperatorsOneWinsAndTheOtherIsTold() throws Exception {
        CountDownLatch firstIsIn = new CountDownLatch(1);
        CountDownLatch secondCalls = new CountDownLatch(1);
        beforeTurn = () -> {
            firstIsIn.countDown();
            await(secondCalls);
        };
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> forget(heuristic));
        await(firstIsIn);
        CompletableFuture<String> second =
                CompletableFuture.supplyAsync(() -> settling.forget(uid(heuristic), true, "me too", "John Doe"));
        secondCalls.countDown();

        assertThat(first.get(30, TimeUnit.SECONDS)).startsWith("forgotten");
        assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(SettlingRefusedException.class)
                .hasMessageContaining("no record")
                .hasMessageContaining("settled.log");
        assertThat(Files.readString(directory.resolve("settled.log"))).doesNotContain("John");
    }

    /** What a person has seen need not hold any more when recovery stands still. */
    @Test
    void theRecordIsJudgedAsItIsInTheTurn() {
        beforeTurn = () -> log.remove(heuristic.key(), Durability.FORCED);

        assertThatThrownBy(() -> forget(heuristic)).hasMessageContaining("no record");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whereRecoveryDoesNotComeToItNothingIsChanged() {
        turn = RecoveryTurn.Result.NO_TURN;

        assertRefused(heuristic, "suspended", "Nothing was changed");
    }

    @Test
    void whatDoesNotEndIsNotCalledUndone() {
        turn = RecoveryTurn.Result.NOT_ENDED;

        assertRefused(heuristic, "has begun and goes on");
    }

    @Test
    void aLostLogIsRefused() {
        log.close();

        assertThatThrownBy(() -> forget(heuristic))
                .isInstanceOf(SettlingRefusedException.class)
                .hasMessageContaining("the log cannot be used");
        assertThatThrownBy(() -> settling.retry(REASON, WHO)).isInstanceOf(SettlingRefusedException.class);
        assertThatThrownBy(() -> settling.describe(uid(heuristic))).isInstanceOf(SettlingRefusedException.class);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aRecordThatCannotBeKeptStaysInTheLog() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "no directory");
        settling.switchOn(Optional.of(file));

        assertThatThrownBy(() -> forget(heuristic))
                .isInstanceOf(SettlingRefusedException.class)
                .hasMessageContaining("stays in the log");
        assertThat(log.read(heuristic.key())).contains(heuristic.bytes());
    }

    @Test
    void aLogWithoutADirectoryNeedsTheKey() {
        settling.switchOn(Optional.empty());

        assertThatThrownBy(() -> forget(heuristic)).hasMessageContaining("tallystick.indoubt.keep-in");
        assertThatThrownBy(() -> settling.retry(REASON, WHO)).hasMessageContaining("tallystick.indoubt.keep-in");
        assertThat(log.read(heuristic.key())).isPresent();
    }

    @Test
    void describeSaysWhatItWouldDoAndChangesNothing() {
        String text = settling.describe(uid(heuristic));

        assertThat(text)
                .contains("state=heuristic decision=commit", "heuristic-rollback resource=java:/stock")
                .contains(heuristic.branch("java:/stock").toString(), "would keep the record in " + directory)
                .contains("What may go wrong")
                .doesNotContain(
                        Base64.getEncoder().encodeToString(heuristic.bytes()).substring(0, 20));
        WrittenRecord inDoubt = new WrittenRecord(3, NODE).waiting("java:/stock");
        write(inDoubt);
        assertThat(settling.describe(uid(inDoubt))).contains("forget would be refused", "recovery ends it");
        assertThat(log.read(heuristic.key())).isPresent();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void retrySaysWhatTheScanHasEnded() throws IOException {
        WrittenRecord inDoubt = new WrittenRecord(3, NODE).waiting("java:/stock");
        write(inDoubt);
        inScan = () -> log.remove(inDoubt.key(), Durability.FORCED);

        assertThat(settling.retry(REASON, WHO))
                .isEqualTo("scan=complete ended=1[" + uid(inDoubt) + "] left={heuristic=1} unseen=0");
        assertThat(Files.readString(directory.resolve("settled.log")))
                .isEqualTo("time=2026-11-27T03:12:45Z user=" + WHO + " action=retry reason=" + REASON + "\n");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).hasSize(2);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
