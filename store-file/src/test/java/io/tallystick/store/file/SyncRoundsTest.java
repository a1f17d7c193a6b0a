package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.DiskFile;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.file.NameChange.EarlyRetire;
import io.tallystick.store.file.NameChange.Install;
import io.tallystick.store.file.NameChange.Retire;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.testkit.disk.DiskEvent;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@Timeout(60)
class SyncRoundsTest {
    private static final Path DIRECTORY = Path.of("/type");
    private static final int MAX_QUEUED = 256;

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
    private final OpenFileWatch watch = new OpenFileWatch(disk);
    private final OpenFiles openFiles = new OpenFiles();
    private final FailStop failStop = new FailStop(DIRECTORY, StoreEvents.NONE);
    private final StatisticsRecorder statistics = new StatisticsRecorder();
    private SyncRounds rounds =
            new SyncRounds(disk, new DirectoryForces(disk), NanoClock.SYSTEM, failStop, statistics, MAX_QUEUED);
    private final TypeDirectory type =
            new TypeDirectory("/type", DIRECTORY, new SpareFiles(DIRECTORY, new AtomicLong(), openFiles));

    private final List<Thread> threads = new ArrayList<>();

    @BeforeEach
    void createDirectory() throws IOException {
        disk.createDirectory(DIRECTORY);
    }

    @Test
    void aForcedChangeIsAppliedAndThenForced() throws IOException {
        rounds.force(install("a", false));

        assertThat(names(DiskOperation.RENAME, DiskOperation.FORCE_DIRECTORY))
                .containsExactly("RENAME a.spare", "FORCE_DIRECTORY type");
        assertThat(rounds.isClean()).isTrue();
    }

    @Test
    void whoeverComesDuringARoundIsCarriedByTheNextOneTogether() throws Exception {
        CountDownLatch stall = new CountDownLatch(1);
        List<CompletableFuture<Void>> forced = new ArrayList<>();
        forced.add(startLeader(stall));
        for (int i = 0; i < 10; i++) {
            forced.add(forcing(install("other" + i, false)));
        }
        awaitWaiting(10);
        assertThat(disk.count(DiskOperation.RENAME)).isEqualTo(1);

        stall.countDown();

        for (CompletableFuture<Void> each : forced) {
            each.get(10, TimeUnit.SECONDS);
        }
        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(2);
        assertThat(disk.count(DiskOperation.RENAME)).isEqualTo(11);
        assertThat(statistics.snapshot().recordsForced()).isEqualTo(11);
    }

    @Test
    void nobodyIsReleasedWhileTheRoundBeforeIsInProgress() throws Exception {
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).stallingAt(stall));
        rounds.defer(install("deferred", true));
        CompletableFuture<Void> first = forcing(install("first", false));
        stall.awaitReached();
        CompletableFuture<Void> second = forcing(install(otherType("other"), "second"));
        awaitWaiting(1);
        assertThat(second).isNotDone();
        assertThat(names(DiskOperation.RENAME)).doesNotContain("RENAME second.spare");

        stall.release();

        first.get(10, TimeUnit.SECONDS);
        second.get(10, TimeUnit.SECONDS);
        assertThat(rounds.isClean()).isTrue();
    }

    @Test
    void changesAreAppliedInTheOrderInWhichTheyCame() throws IOException {
        rounds.force(install("a", false));
        rounds.defer(new Retire(type, DIRECTORY.resolve("a"), StoredState.NOTHING, true, true));
        rounds.defer(install("a", true));
        assertThat(disk.count(DiskOperation.RENAME)).isEqualTo(1);

        rounds.force();

        assertThat(names(DiskOperation.RENAME)).containsExactly("RENAME a.spare", "RENAME a", "RENAME a.spare");
        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(2);
    }

    @Test
    void aDeferredFileIsForcedBeforeItGetsItsName() throws IOException {
        rounds.defer(install("a", true));
        rounds.force();

        assertThat(names(DiskOperation.FORCE, DiskOperation.RENAME, DiskOperation.FORCE_DIRECTORY))
                .containsExactly("FORCE a.spare", "RENAME a.spare", "FORCE_DIRECTORY type");
    }

    @Test
    void aForcedChangeCarriesWhatWasDeferredInOtherDirectories() throws IOException {
        TypeDirectory other = otherType("other");
        Path elsewhere = other.path();
        disk.open(elsewhere.resolve("x"), OpenMode.CREATE_NEW).close();
        rounds.defer(new Retire(other, elsewhere.resolve("x"), StoredState.NOTHING, false, true));

        rounds.force(install("a", false));

        assertThat(names(DiskOperation.FORCE_DIRECTORY))
                .containsExactlyInAnyOrder("FORCE_DIRECTORY other", "FORCE_DIRECTORY type");
        assertThat(rounds.isClean()).isTrue();
    }

    @Test
    void forcingWhereNothingIsDeferredTouchesNoDisk() throws IOException {
        rounds.force(install("a", false));
        long forces = disk.count(DiskOperation.FORCE_DIRECTORY);

        rounds.force();

        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(forces);
    }

    @Test
    void aRoundTellsHowManyChangesItHasForced() throws IOException {
        List<Long> told = new ArrayList<>();
        StoreEvents.Force event = (records, bytes) -> told.add(records);
        StoreEvents telling = (StoreEvents) Proxy.newProxyInstance(
                StoreEvents.class.getClassLoader(),
                new Class<?>[] {StoreEvents.class},
                (self, method, arguments) -> method.getName().equals("beginForce") ? event : null);
        StatisticsRecorder recorder = new StatisticsRecorder(telling);
        rounds.force(install("a", false));
        rounds = new SyncRounds(disk, new DirectoryForces(disk), NanoClock.SYSTEM, failStop, recorder, MAX_QUEUED);
        rounds.defer(new Retire(type, DIRECTORY.resolve("a"), StoredState.NOTHING, true, true));

        rounds.force(install("b", false));

        assertThat(told).containsExactly(2L);
    }

    @Test
    void forcingWhereNothingIsDeferredBeginsNoRound() throws IOException {
        rounds.force(install("a", false));
        assertThat(rounds.begun()).isEqualTo(1);

        rounds.force();

        assertThat(rounds.begun()).isEqualTo(1);
    }

    @Test
    void forcingWhereNothingIsDeferredTellsOfAFailure() {
        failStop.fail("a write failed", new IOException("planted"));

        assertThatThrownBy(rounds::force).isInstanceOf(StoreFailedException.class);
    }

    /** Who forces what it has seen must find something to force. The change fails in the step that shows it. */
    @Test
    void aRemovalIsCountedBeforeReadersMaySeeIt() {
        KeyTicket failing = null;
        EarlyRetire removal = new EarlyRetire(type, type.path().resolve("a"), StoredState.NOTHING, false, failing);

        assertThatThrownBy(() -> rounds.defer(removal)).isInstanceOf(RuntimeException.class);

        assertThat(rounds.outstandingDeferred()).isEqualTo(1);
        assertThat(rounds.isClean()).isFalse();
    }

    @Test
    void aChangeThatCouldNotBeQueuedFailsItsCallerAndNotTheStore() throws IOException {
        AtomicBoolean fails = new AtomicBoolean(true);
        FailStop withoutMemory = new FailStop(DIRECTORY, StoreEvents.NONE) {
            @Override
            void check() {
                if (fails.getAndSet(false)) {
                    throw new OutOfMemoryError("thrown by the test");
                }
                super.check();
            }
        };
        rounds = new SyncRounds(
                disk, new DirectoryForces(disk), NanoClock.SYSTEM, withoutMemory, statistics, MAX_QUEUED);

        Install deferred = install("a", true);
        assertThatThrownBy(() -> rounds.defer(deferred)).isInstanceOf(OutOfMemoryError.class);

        assertThat(withoutMemory.failure()).isEmpty();
        rounds.force(install("b", false));
    }

    /** Whoever was carried does not lead, or more rounds than one would be in progress. */
    @Test
    void noMoreThanOneRoundIsInProgressAlsoAfterCallersWereCarried() throws Exception {
        for (int turn = 0; turn < 3; turn++) {
            long renames = disk.count(DiskOperation.RENAME);
            CountDownLatch stall = new CountDownLatch(1);
            List<CompletableFuture<Void>> forced = new ArrayList<>();
            forced.add(startLeader(stall, "turn" + turn));
            for (int i = 0; i < 4; i++) {
                forced.add(forcing(install("other" + turn + i, false)));
            }
            awaitWaiting(4);
            assertThat(disk.count(DiskOperation.RENAME) - renames).isEqualTo(1);

            stall.countDown();

            for (CompletableFuture<Void> each : forced) {
                each.get(10, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void callersWhomAFailedRoundCarriedAreTold() throws Exception {
        CountDownLatch stall = new CountDownLatch(1);
        CompletableFuture<Void> leader = startLeader(stall);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).forEver().failingWith(DiskFault.EIO));
        List<CompletableFuture<Void>> carried = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            carried.add(forcing(install("carried" + i, false)));
        }
        awaitWaiting(5);

        stall.countDown();

        leader.handle((done, thrown) -> null).get(10, TimeUnit.SECONDS);
        for (CompletableFuture<Void> each : carried) {
            assertThatThrownBy(() -> each.get(10, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        }
    }

    @Test
    void manyDeferredChangesAreAppliedByThoseWhoDeferThem() throws IOException {
        for (int i = 0; i <= MAX_QUEUED; i++) {
            rounds.defer(install("a" + i, true));
        }
        assertThat(disk.count(DiskOperation.RENAME)).isEqualTo(MAX_QUEUED + 1);
        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isZero();
        assertThat(rounds.isClean()).isFalse();

        rounds.force();

        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(1);
        assertThat(rounds.isClean()).isTrue();
    }

    @Test
    void aRemovedFileIsSpareOnlyWhenItsRemovalIsOnDisk() throws IOException {
        rounds.force(install("a", false));
        rounds.defer(new Retire(type, DIRECTORY.resolve("a"), StoredState.NOTHING, true, true));
        assertThat(type.spares().poll()).isNull();

        rounds.force();

        Path spare = type.spares().poll().path();
        assertThat(FileNames.isSpare(spare.getFileName().toString())).isTrue();
        assertThat(disk.kindOf(spare)).isEqualTo(io.tallystick.storage.Disk.PathKind.FILE);
    }

    @Test
    void noMoreFilesAreKeptThanMayBe() throws IOException {
        for (int i = 0; i < SpareFiles.MAX_KEPT + 5; i++) {
            rounds.defer(install("a" + i, true));
            rounds.defer(new Retire(type, DIRECTORY.resolve("a" + i), StoredState.NOTHING, true, true));
        }
        rounds.force();

        assertThat(disk.list(DIRECTORY)).hasSize(SpareFiles.MAX_KEPT);
        assertThat(disk.count(DiskOperation.DELETE)).isEqualTo(5);
    }

    @Test
    void aFailedForceIsUnknownToThoseItConcernsAndFailsTheRest() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).forEver().preceding(() -> {
            reached.countDown();
            awaitUninterruptibly(released);
            throw new UncheckedIOException(new IOException("thrown by the test"));
        }));
        CompletableFuture<Void> first = forcing(install("first", false));
        reached.await();
        CompletableFuture<Void> untouched = forcing(install("untouched", false));
        awaitWaiting(1);
        released.countDown();

        assertThatThrownBy(() -> first.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> untouched.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFailedException.class);
        assertThat(names(DiskOperation.RENAME)).doesNotContain("RENAME untouched.spare");
        assertThatThrownBy(() -> rounds.force(install("after", false))).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> rounds.defer(install("deferred", true))).isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(rounds::force).isInstanceOf(StoreFailedException.class);
        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isEqualTo(1);
    }

    @Test
    void noFileOfAQueuedChangeStaysOpenInAFailedStore() throws IOException {
        rounds.defer(install("queued", true));

        rounds.abandon();

        assertThat(watch.open()).isEmpty();
    }

    @Test
    void noFileOfAnAppliedChangeStaysOpenInAFailedStore() throws IOException {
        for (int i = 0; i <= MAX_QUEUED; i++) {
            rounds.defer(install("applied" + i, true));
        }
        assertThat(watch.open()).isNotEmpty();

        rounds.abandon();

        assertThat(watch.open()).isEmpty();
    }

    @Test
    void noFileOfAChangeThatFailedStaysOpenInAFailedStore() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.EIO));
        assertThatThrownBy(() -> rounds.force(install("failing", false))).isInstanceOf(OutcomeUnknownException.class);

        rounds.abandon();

        assertThat(watch.open()).isEmpty();
    }

    @Test
    void aRoundThatFailedClosesItsFilesAndTellsTheLog() throws Exception {
        CompletableFuture<String> logged = logOfAFailedStore();
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> rounds.force(install("failing", false))).isInstanceOf(OutcomeUnknownException.class);

        assertThat(watch.open()).isEmpty();
        assertThat(logged.get(10, TimeUnit.SECONDS)).contains("TALLY0501").contains("could not be");
    }

    @Test
    void aDeferringCallerThatMeetsAFailureTellsTheLog() throws Exception {
        CompletableFuture<String> logged = logOfAFailedStore();
        disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> {
                    for (int i = 0; i <= MAX_QUEUED; i++) {
                        rounds.defer(install("a" + i, true));
                    }
                })
                .isInstanceOf(StoreFailedException.class);

        assertThat(logged.get(10, TimeUnit.SECONDS)).contains("TALLY0501").contains("could not be");
    }

    private CompletableFuture<String> logOfAFailedStore() {
        CompletableFuture<String> logged = new CompletableFuture<>();
        FailStop telling = new FailStop(DIRECTORY, StoreEvents.NONE, new FirstLine(logged));
        rounds = new SyncRounds(disk, new DirectoryForces(disk), NanoClock.SYSTEM, telling, statistics, MAX_QUEUED);
        return logged;
    }

    /** A logger that keeps the first line. */
    private record FirstLine(CompletableFuture<String> line) implements System.Logger {
        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            line.complete(message);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
            line.complete(format);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void aFailedRenameFailsTheStore() throws IOException {
        disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.EIO));

        assertThatThrownBy(() -> rounds.force(install("a", false))).isInstanceOf(OutcomeUnknownException.class);

        assertThat(failStop.failure()).isPresent();
        assertThat(disk.count(DiskOperation.FORCE_DIRECTORY)).isZero();
    }

    @Test
    void aChangeThatAnotherCallerAppliesWhileTheStoreFailsIsUnknown() throws Exception {
        CountDownLatch force = new CountDownLatch(1);
        CountDownLatch forcing = new CountDownLatch(1);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).preceding(() -> {
            forcing.countDown();
            awaitUninterruptibly(force);
            throw new UncheckedIOException(new IOException("thrown by the test"));
        }));
        DiskFault.Stall before = stallRenaming("before");
        CompletableFuture<Void> failing = forcing(install("first", false));
        forcing.await();
        rounds.defer(install("before", true));
        CompletableFuture<Void> waiting = forcing(install("waiting", false));
        awaitWaiting(1);
        for (int i = 0; i < MAX_QUEUED - 2; i++) {
            rounds.defer(install("deferred" + i, true));
        }
        CompletableFuture<Void> deferring = run(() -> rounds.defer(install("deferred", true)));
        before.awaitReached();

        force.countDown();
        // The leader tells everybody that the store has failed, and then waits for the names.
        awaitWaitingForNames(2);
        before.release();

        assertThatThrownBy(() -> failing.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> waiting.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(names(DiskOperation.RENAME)).contains("RENAME waiting.spare");
        deferring.handle((done, thrown) -> null).get(10, TimeUnit.SECONDS);
    }

    @Test
    void aDeferredChangeThatAnotherCallerAppliesAndFailsAtIsUnknown() throws Exception {
        DiskFault.Stall first = stallRenaming("first");
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(file -> file.endsWith("deferred.spare"))
                .failingWith(DiskFault.EIO));
        forcing(install("first", false));
        first.awaitReached();
        for (int i = 0; i < MAX_QUEUED; i++) {
            rounds.defer(install("deferred" + i, true));
        }
        run(() -> rounds.defer(install("another", true)));
        awaitWaitingForNames(1);
        CompletableFuture<Void> deferring = run(() -> rounds.defer(install("deferred", true)));
        awaitWaitingForNames(2);

        first.release();

        assertThatThrownBy(() -> deferring.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aRenameWithoutRoomIsRefusedAndTheRoundGoesOn() throws Exception {
        CountDownLatch stall = new CountDownLatch(1);
        CompletableFuture<Void> leader = startLeader(stall);
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(file -> file.endsWith("refused.spare"))
                .failingWith(DiskFault.ENOSPC));
        CompletableFuture<Void> refused = forcing(install("refused", false));
        CompletableFuture<Void> other = forcing(install("other", false));
        awaitWaiting(2);
        stall.countDown();

        leader.get(10, TimeUnit.SECONDS);
        other.get(10, TimeUnit.SECONDS);
        assertThatThrownBy(() -> refused.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFullException.class);
        assertThat(failStop.failure()).isEmpty();
        assertThat(rounds.isClean()).isTrue();
        assertThat(disk.list(DIRECTORY)).contains(DIRECTORY.resolve("other")).noneMatch(path -> path.toString()
                .contains("refused"));
    }

    @Test
    void aRemovalWithoutRoomForANewNameDeletes() throws IOException {
        rounds.force(install("a", false));
        disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.ENOSPC));

        rounds.force(new Retire(type, DIRECTORY.resolve("a"), StoredState.NOTHING, true, false));

        assertThat(disk.list(DIRECTORY)).isEmpty();
        assertThat(failStop.failure()).isEmpty();
        assertThat(type.spares().poll()).isNull();
    }

    @Test
    void aDeferredRenameWithoutRoomGivesUpSpareFiles() throws IOException {
        rounds.force(install("a", false));
        rounds.force(new Retire(type, DIRECTORY.resolve("a"), StoredState.NOTHING, true, false));
        disk.inject(DiskFault.in(DiskOperation.RENAME).failingWith(DiskFault.ENOSPC));
        rounds.defer(install("b", true));

        rounds.force();

        assertThat(disk.list(DIRECTORY)).containsExactly(DIRECTORY.resolve("b"));
        assertThat(failStop.failure()).isEmpty();
    }

    @Test
    void anErrorInARoundFailsTheStore() throws Exception {
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).preceding(() -> {
            throw new OutOfMemoryError("thrown by the test");
        }));

        assertThatThrownBy(() -> rounds.force(install("a", false)))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasRootCauseInstanceOf(OutOfMemoryError.class);

        assertThatThrownBy(() -> rounds.force(install("b", false))).isInstanceOf(StoreFailedException.class);
    }

    /**
     * A caller that defers takes a queue with the change of one that waits, fails before that change, and cannot even
     * say so. The one that waits leads the next round, and finds nothing left to do.
     */
    @Test
    void aChangeThatAFailedCallerTookIsNotAcknowledgedAlthoughTheFailureCouldNotBeRecorded() throws Exception {
        CountDownLatch forcing = new CountDownLatch(1);
        CountDownLatch force = new CountDownLatch(1);
        FailStop forgetful = new FailStop(DIRECTORY, StoreEvents.NONE) {
            @Override
            void mark(String what, Throwable cause) {
                throw new OutOfMemoryError("thrown by the test");
            }
        };
        rounds = new SyncRounds(disk, new DirectoryForces(disk), NanoClock.SYSTEM, forgetful, statistics, MAX_QUEUED);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).preceding(() -> {
            forcing.countDown();
            awaitUninterruptibly(force);
        }));
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(file -> file.endsWith("failing.spare"))
                .failingWith(DiskFault.EIO));
        CompletableFuture<Void> first = forcing(install(otherType("other"), "first"));
        forcing.await();
        rounds.defer(install("failing", true));
        CompletableFuture<Void> waiting = forcing(install("waiting", false));
        awaitWaiting(1);
        for (int i = 0; i < MAX_QUEUED - 2; i++) {
            rounds.defer(install("deferred" + i, true));
        }
        Install last = install("last", true);
        assertThatThrownBy(() -> rounds.defer(last)).isInstanceOf(OutOfMemoryError.class);

        force.countDown();

        first.get(30, TimeUnit.SECONDS);
        assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThat(names(DiskOperation.RENAME)).doesNotContain("RENAME waiting.spare");
        assertThatThrownBy(() -> rounds.force(install("after", false))).isInstanceOf(StoreFailedException.class);
    }

    private ReentrantLock namingLock() {
        try {
            Field naming = SyncRounds.class.getDeclaredField("naming");
            naming.setAccessible(true);
            return (ReentrantLock) naming.get(rounds);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The store fails outside a round: a caller that waits learns of it by itself, and the leader hands over to it. */
    @Test
    void callersThatWaitBehindOthersThatHaveGoneAreTold() throws Exception {
        CountDownLatch stall = new CountDownLatch(1);
        CompletableFuture<Void> leader = startLeader(stall);
        CompletableFuture<Void> gone = forcingInTurn(1);
        CompletableFuture<Void> left = forcingInTurn(2);

        failStop.fail("a write failed", new IOException("planted"));
        threads.get(1).interrupt();
        assertThatThrownBy(() -> gone.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFailedException.class);
        stall.countDown();
        leader.get(30, TimeUnit.SECONDS);

        assertThatThrownBy(() -> left.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFailedException.class);
    }

    /** A virtual thread that leads may need a carrier meanwhile. Those that it carries may be pinned to all. */
    @Test
    void noVirtualThreadLeadsARound() throws Exception {
        assumeTrue(VirtualThreadsOfTheJdk.areThere(), "skipped: virtual threads came with JDK 21");
        CountDownLatch stall = new CountDownLatch(1);
        CompletableFuture<Void> leader = startLeader(stall);
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            waiting.add(forcingOnAVirtualThread(install("virtual" + i, false)));
            awaitWaiting(i);
        }
        List<Boolean> leaders = Collections.synchronizedList(new ArrayList<>());
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY)
                .forEver()
                .preceding(() -> leaders.add(StoreThread.isCurrentVirtual())));
        stall.countDown();
        leader.get(30, TimeUnit.SECONDS);
        for (CompletableFuture<Void> each : waiting) {
            each.get(30, TimeUnit.SECONDS);
        }
        forcingOnAVirtualThread(install("alone", false)).get(30, TimeUnit.SECONDS);
        forcing(install("last", false)).get(30, TimeUnit.SECONDS);

        assertThat(leaders).hasSize(3).containsOnly(false);
        assertThat(rounds.isClean()).isTrue();
        rounds.end();
    }

    /** The others that wait are pinned to all carriers, as in a synchronized method before JDK 24. */
    @Test
    void aVirtualThreadThatHasNoCarrierHoldsUpNoRound() throws Exception {
        assumeTrue(VirtualThreadsOfTheJdk.areThere(), "skipped: virtual threads came with JDK 21");
        CountDownLatch stall = new CountDownLatch(1);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        all.add(startLeader(stall));
        all.add(forcingOnAVirtualThread(install("unmounted", false)));
        awaitWaiting(1);
        int carriers = Runtime.getRuntime().availableProcessors();
        for (int i = 1; i <= carriers; i++) {
            all.add(forcingOnAPinnedThread(install("pinned" + i, false)));
            awaitWaiting(1 + i);
        }

        stall.countDown();

        for (CompletableFuture<Void> each : all) {
            each.get(20, TimeUnit.SECONDS);
        }
        rounds.end();
    }

    /** The virtual thread came first. */
    @Test
    void aPlatformThreadThatWaitsLeadsBeforeAVirtualOne() throws Exception {
        assumeTrue(VirtualThreadsOfTheJdk.areThere(), "skipped: virtual threads came with JDK 21");
        CountDownLatch stall = new CountDownLatch(1);
        CompletableFuture<Void> leader = startLeader(stall);
        CompletableFuture<Void> virtual = forcingOnAVirtualThread(install("virtual", false));
        awaitWaiting(1);
        CompletableFuture<Void> platform = forcing(install("platform", false));
        awaitWaiting(2);
        AtomicReference<Thread> heir = new AtomicReference<>();
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).preceding(() -> heir.set(Thread.currentThread())));

        stall.countDown();

        leader.get(30, TimeUnit.SECONDS);
        virtual.get(30, TimeUnit.SECONDS);
        platform.get(30, TimeUnit.SECONDS);
        assertThat(heir.get()).isSameAs(threads.get(2));
    }

    @Test
    void aVirtualThreadLeadsWhereTheThreadOfTheRoundsHasEnded() throws Exception {
        assumeTrue(VirtualThreadsOfTheJdk.areThere(), "skipped: virtual threads came with JDK 21");
        rounds.end();
        CountDownLatch stall = new CountDownLatch(1);
        CompletableFuture<Void> leader = startLeader(stall);
        CompletableFuture<Void> virtual = forcingOnAVirtualThread(install("virtual", false));
        awaitWaiting(1);
        stall.countDown();

        leader.get(30, TimeUnit.SECONDS);
        virtual.get(30, TimeUnit.SECONDS);
        forcingOnAVirtualThread(install("alone", false)).get(30, TimeUnit.SECONDS);
        assertThat(rounds.isClean()).isTrue();
    }

    @Test
    void virtualThreadsAreToldOfAFailureOfTheRoundThatIsLedForThem() throws Exception {
        assumeTrue(VirtualThreadsOfTheJdk.areThere(), "skipped: virtual threads came with JDK 21");
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).failingWith(DiskFault.EIO));

        CompletableFuture<Void> failed = forcingOnAVirtualThread(install("virtual", false));

        assertThatThrownBy(() -> failed.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        CompletableFuture<Void> late = forcingOnAVirtualThread(install("late", false));
        assertThatThrownBy(() -> late.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFailedException.class);
        rounds.end();
    }

    private CompletableFuture<Void> forcingOnAVirtualThread(NameChange change) throws ReflectiveOperationException {
        CompletableFuture<Void> result = new CompletableFuture<>();
        threads.add(VirtualThreadsOfTheJdk.start(() -> force(change, result)));
        return result;
    }

    private CompletableFuture<Void> forcingOnAPinnedThread(NameChange change) throws ReflectiveOperationException {
        CompletableFuture<Void> result = new CompletableFuture<>();
        threads.add(VirtualThreadsOfTheJdk.start(() -> VirtualThreadsOfTheJdk.runPinned(() -> force(change, result))));
        return result;
    }

    private void force(NameChange change, CompletableFuture<Void> result) {
        try {
            rounds.force(change);
            result.complete(null);
        } catch (RuntimeException | Error thrown) {
            result.completeExceptionally(thrown);
        }
    }

    /** A thread that has to wait for a lock may lack the memory for that. */
    @Test
    void callersThatWaitAreToldAlthoughTheLeaderHasNoMemoryToTakeALock() throws Exception {
        AtomicReference<Thread> starved = withoutMemoryForALock();
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).preceding(() -> {
            reached.countDown();
            awaitUninterruptibly(released);
            starved.set(Thread.currentThread());
            throw new OutOfMemoryError("thrown by the test");
        }));
        CompletableFuture<Void> leader = forcing(install("first", false));
        reached.await();
        List<CompletableFuture<Void>> waiting = List.of(forcingInTurn(1), forcingInTurn(2), forcingInTurn(3));

        released.countDown();

        assertThatThrownBy(() -> leader.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        for (CompletableFuture<Void> each : waiting) {
            assertThatThrownBy(() -> each.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFailedException.class);
        }
    }

    /** The leader hands over to a caller that has no memory to wake the others. */
    @Test
    void callersThatWaitAreToldAlthoughTheNextLeaderHasNoMemoryToTakeALock() throws Exception {
        AtomicReference<Thread> starved = withoutMemoryForALock();
        CountDownLatch stall = new CountDownLatch(1);
        CompletableFuture<Void> leader = startLeader(stall);
        CompletableFuture<Void> next = forcingInTurn(1);
        CompletableFuture<Void> left = forcingInTurn(2);
        starved.set(threads.get(1));

        failStop.fail("a write failed", new IOException("planted"));
        stall.countDown();
        leader.get(10, TimeUnit.SECONDS);

        assertThatThrownBy(() -> next.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFailedException.class);
        assertThatThrownBy(() -> left.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreFailedException.class);
    }

    /** The thread that is set later gets no lock of the queue by waiting for it. */
    private AtomicReference<Thread> withoutMemoryForALock() throws ReflectiveOperationException {
        AtomicReference<Thread> starved = new AtomicReference<>();
        Field lock = SyncRounds.class.getDeclaredField("lock");
        lock.setAccessible(true);
        lock.set(rounds, new ReentrantLock() {
            private static final long serialVersionUID = 1;

            @Override
            public void lock() {
                if (Thread.currentThread() == starved.get()) {
                    throw new OutOfMemoryError("thrown by the test");
                }
                super.lock();
            }
        });
        return starved;
    }

    private CompletableFuture<Void> forcingInTurn(int waiting) throws IOException {
        CompletableFuture<Void> forced = forcing(install("waiting" + waiting, false));
        awaitWaiting(waiting);
        return forced;
    }

    @Test
    void everybodyIsToldOfAFailureThatCannotDescribeItself() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).forEver().preceding(() -> {
            reached.countDown();
            awaitUninterruptibly(released);
            throw new Indescribable();
        }));
        List<CompletableFuture<Void>> all = new ArrayList<>();
        all.add(forcing(install("first", false)));
        reached.await();
        for (int i = 0; i < 3; i++) {
            all.add(forcing(install("waiting" + i, false)));
        }
        awaitWaiting(3);

        released.countDown();

        List<Class<?>> outcomes = new ArrayList<>();
        for (CompletableFuture<Void> each : all) {
            outcomes.add(each.handle((done, thrown) -> thrown.getClass()).get(30, TimeUnit.SECONDS));
        }
        assertThat(outcomes)
                .containsExactly(
                        OutcomeUnknownException.class,
                        StoreFailedException.class,
                        StoreFailedException.class,
                        StoreFailedException.class);
    }

    private static final class Indescribable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new OutOfMemoryError("thrown by the test");
        }
    }

    /** A caller that leads a round, and is in the middle of forcing a directory of its own until the latch opens. */
    private CompletableFuture<Void> startLeader(CountDownLatch released) throws Exception {
        return startLeader(released, "other");
    }

    private CompletableFuture<Void> startLeader(CountDownLatch released, String name) throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY).preceding(() -> {
            reached.countDown();
            awaitUninterruptibly(released);
        }));
        CompletableFuture<Void> leader = forcing(install(otherType(name), "leader"));
        reached.await(); // else its round may take the change of the next caller along
        return leader;
    }

    private DiskFault.Stall stallRenaming(String name) {
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.RENAME)
                .onFiles(file -> file.endsWith(name + ".spare"))
                .stallingAt(stall));
        return stall;
    }

    private TypeDirectory otherType(String name) throws IOException {
        Path path = Path.of("/" + name);
        disk.createDirectory(path);
        return new TypeDirectory("/" + name, path, new SpareFiles(path, new AtomicLong(), openFiles));
    }

    private Install install(String name, boolean deferred) throws IOException {
        return install(type, name, deferred);
    }

    private Install install(TypeDirectory directory, String name) throws IOException {
        return install(directory, name, false);
    }

    private Install install(TypeDirectory directory, String name, boolean deferred) throws IOException {
        Path spare = directory.path().resolve(name + ".spare");
        DiskFile file = watch.disk().open(spare, OpenMode.CREATE_NEW);
        StoredState stored =
                StoredState.inFile(StateImage.ABSENT.write(new byte[1]), new StoredState.Elsewhere(spare, 1));
        StoreContext context = new StoreContext(disk, NanoClock.SYSTEM, failStop, statistics, openFiles);
        WrittenFile written = new WrittenFile(spare, file, true, stored, context);
        return new Install(directory, directory.path().resolve(name), StoredState.NOTHING, written, deferred);
    }

    private CompletableFuture<Void> forcing(NameChange change) {
        return run(() -> rounds.force(change));
    }

    private CompletableFuture<Void> run(Executable call) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                call.execute();
                result.complete(null);
            } catch (Throwable thrown) {
                result.completeExceptionally(thrown);
            }
        });
        threads.add(thread);
        thread.start();
        return result;
    }

    /** Waits until so many threads wait until they may change names. */
    private void awaitWaitingForNames(int count) {
        while (namingLock().getQueueLength() < count) {
            Thread.onSpinWait();
        }
    }

    /** Waits until so many of the threads that were started wait for a round. */
    private void awaitWaiting(int count) {
        while (threads.stream()
                        .filter(thread -> thread.getState() == Thread.State.WAITING)
                        .filter(thread -> LockSupport.getBlocker(thread) != null)
                        .filter(thread ->
                                LockSupport.getBlocker(thread).getClass().getEnclosingClass() == SyncRounds.class)
                        .count()
                < count) {
            Thread.onSpinWait();
        }
    }

    private List<String> names(DiskOperation... operations) {
        List<DiskOperation> wanted = List.of(operations);
        return disk.log().stream()
                .filter(event -> wanted.contains(event.operation()))
                .map((DiskEvent event) -> event.operation() + " " + event.file().getFileName())
                .toList();
    }
}
