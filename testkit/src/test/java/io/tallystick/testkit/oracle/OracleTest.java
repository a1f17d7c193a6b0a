package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.spi.ForwardingStore;
import io.tallystick.testkit.FoundStore;
import io.tallystick.testkit.States;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each invariant, with the smallest history that keeps it and the smallest that breaks it. */
class OracleTest {
    private static final StateKey KEY = StateKey.of("/T", ObjectId.parse("01"));
    private static final StateKey OTHER = StateKey.of("/T", ObjectId.parse("02"));
    private static final byte[] ONE = States.of("one");
    private static final byte[] TWO = States.of("two");
    private static final byte[] THREE = States.of("three");

    private final Oracle oracle = new Oracle();

    @Test
    void forcedWriteMustBeFound() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);

        assertAllowed(image(ONE));
        assertViolated("I1 durable", ModelImage.ABSENT);
    }

    @Test
    void olderValueThanTheForcedOneIsALoss() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        returned(ModelMove.WRITE, KEY, TWO, Durability.FORCED);

        assertViolated("I1 durable", image(ONE));
    }

    @Test
    void deferredWriteMayBeFoundOrNot() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        returned(ModelMove.WRITE, KEY, TWO, Durability.DEFERRED);

        assertAllowed(image(ONE));
        assertAllowed(image(TWO));
    }

    @Test
    void deferredWriteMustBeFoundAfterAForcedOneOnAnotherKeyThatBeganLater() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.DEFERRED);
        returned(ModelMove.WRITE, OTHER, TWO, Durability.FORCED);

        assertThatThrownBy(() -> check(new FoundStore().with(OTHER, image(TWO))))
                .hasMessageContaining("I1 durable");
    }

    @Test
    void deferredWriteNeedNotBeFoundAfterAForceThatBeganBefore() {
        long tick = oracle.tick();
        returned(ModelMove.WRITE, KEY, ONE, Durability.DEFERRED);
        oracle.forced(tick);

        assertAllowed(ModelImage.ABSENT);
    }

    @Test
    void deferredWriteMustBeFoundAfterForceAndAfterClose() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.DEFERRED);
        Oracle closed = oracle.copy();
        oracle.forced(oracle.tick());
        closed.closed(closed.tick());

        assertViolated("I1 durable", ModelImage.ABSENT);
        assertThatThrownBy(() -> closed.checkRecovered(new FoundStore())).hasMessageContaining("I1 durable");
    }

    @Test
    void forcedRemoveThatFindsNothingPromisesThatNothingComesBack() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        returned(ModelMove.REMOVE, KEY, null, Durability.DEFERRED);
        oracle.returned(oracle.invoked(ModelMove.REMOVE, KEY, null, Durability.FORCED), false);

        assertViolated("I2 no resurrection", image(ONE));
    }

    @Test
    void removedStateMustNotComeBack() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        returned(ModelMove.REMOVE, KEY, null, Durability.FORCED);

        assertAllowed(ModelImage.ABSENT);
        assertViolated("I2 no resurrection", image(ONE));
    }

    @Test
    void lostDeferredRemoveLeavesTheWholeLastState() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        returned(ModelMove.WRITE, KEY, TWO, Durability.FORCED);
        returned(ModelMove.REMOVE, KEY, null, Durability.DEFERRED);

        assertAllowed(image(TWO));
        assertAllowed(ModelImage.ABSENT);
        assertViolated("I1 durable", image(ONE));
    }

    @Test
    void valueThatNobodyWroteIsInvented() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);

        assertViolated("I3 no invention", image(THREE));
    }

    @Test
    void keyThatNobodyWroteIsInvented() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);

        assertThatThrownBy(() -> check(new FoundStore().with(KEY, image(ONE)).with(OTHER, image(TWO))))
                .hasMessageContaining("I3 no invention");
    }

    @Test
    void typeThatNobodyWroteIsInvented() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        StateKey elsewhere = StateKey.of("/Elsewhere", ObjectId.parse("01"));

        assertThatThrownBy(() -> check(new FoundStore().with(KEY, image(ONE)).with(elsewhere, image(TWO))))
                .hasMessageContaining("I3 no invention");
    }

    @Test
    void pendingOperationMayHaveHappenedOrNot() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        oracle.invoked(ModelMove.WRITE, KEY, TWO, Durability.FORCED);

        assertAllowed(image(ONE));
        assertAllowed(image(TWO));
        assertViolated("I1 durable", ModelImage.ABSENT);
    }

    @Test
    void unknownOutcomeMayHaveHappenedOrNot() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        oracle.unknown(
                oracle.invoked(ModelMove.WRITE, KEY, TWO, Durability.FORCED), new OutcomeUnknownException("x", null));

        assertAllowed(image(ONE));
        assertAllowed(image(TWO));
    }

    @Test
    void nothingReturnsAfterAnUnknownOutcome() {
        oracle.unknown(
                oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.FORCED), new OutcomeUnknownException("x", null));

        assertThatThrownBy(() -> returned(ModelMove.WRITE, OTHER, TWO, Durability.DEFERRED))
                .hasMessageContaining("I5 fail-stop");
        assertThatThrownBy(() -> oracle.forced(oracle.tick())).hasMessageContaining("I5 fail-stop");
    }

    @Test
    void whatWasUnderWayBeforeAnUnknownOutcomeMayReturn() {
        KeyHistory.Pending overlapping = oracle.invoked(ModelMove.WRITE, OTHER, TWO, Durability.FORCED);
        oracle.unknown(
                oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.FORCED), new OutcomeUnknownException("x", null));

        assertThatCode(() -> oracle.returned(overlapping, true)).doesNotThrowAnyException();
    }

    @Test
    void refusedWriteMustNotBeFound() {
        oracle.refused(oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.FORCED), new StoreFullException("full"));

        assertAllowed(ModelImage.ABSENT);
        assertViolated("I6 honest outcome", image(ONE));
    }

    @Test
    void whatAReaderSawOfAForcedWriteMustBeFound() {
        oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        oracle.seen(KEY, 0, false, image(ONE)::equals, "one");

        assertAllowed(image(ONE));
        assertViolated("I7 no dirty read", ModelImage.ABSENT);
    }

    @Test
    void whatAReaderSawOfADeferredWriteNeedNotBeFound() {
        oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.DEFERRED);
        oracle.seen(KEY, 0, false, image(ONE)::equals, "one");

        assertAllowed(ModelImage.ABSENT);
    }

    @Test
    void whatAReaderSawMustNotBeRefusedAfterwards() {
        KeyHistory.Pending write = oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        oracle.seen(KEY, 0, false, image(ONE)::equals, "one");

        assertThatThrownBy(() -> oracle.refused(write, new StoreIoException("no", null)))
                .hasMessageContaining("I7 no dirty read");
    }

    @Test
    void readerMustSeeTheLastValueOrThatOfAnOperationUnderWay() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        int since = oracle.versionOf(KEY);
        returned(ModelMove.WRITE, KEY, TWO, Durability.FORCED);

        assertThatCode(() -> oracle.seen(KEY, since, false, image(ONE)::equals, "one"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> oracle.seen(KEY, oracle.versionOf(KEY), false, image(ONE)::equals, "one"))
                .hasMessageContaining("I3 no invention");
    }

    @Test
    void readerOfAFailedStoreMaySeeThatDeferredEffectsAreGone() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.DEFERRED);

        assertThatCode(() -> oracle.seen(KEY, oracle.versionOf(KEY), true, ModelImage::isAbsent, "nothing"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> oracle.seen(KEY, oracle.versionOf(KEY), false, ModelImage::isAbsent, "nothing"))
                .hasMessageContaining("I3 no invention");
    }

    @Test
    void wrongAnswerShowsAtOnce() {
        assertThatThrownBy(() -> oracle.returned(oracle.invoked(ModelMove.REMOVE, KEY, null, Durability.FORCED), true))
                .hasMessageContaining("table of moves");
    }

    @Test
    void keyChangedByTwoThreadsAtOnceIsAMistakeOfTheTest() {
        oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.FORCED);

        assertThatThrownBy(() -> oracle.invoked(ModelMove.WRITE, KEY, TWO, Durability.FORCED))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void hiddenKeyIsJudgedByItsStatusAndByItsValuesWhenItIsRevealed() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        returned(ModelMove.HIDE, KEY, null, Durability.FORCED);
        FoundStore wrong = new FoundStore().with(KEY, new ModelImage(TWO, null, true));
        oracle.checkRecovered(wrong);

        assertThatThrownBy(() -> oracle.revealAll(oracle.watch(wrong))).hasMessageContaining("I3 no invention");
    }

    @Test
    void hiddenKeyThatIsFoundVisibleIsALoss() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        returned(ModelMove.HIDE, KEY, null, Durability.FORCED);

        assertViolated("I1 durable", image(ONE));
    }

    @Test
    void whatIsFoundIsWhereItGoesOn() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        returned(ModelMove.WRITE, KEY, TWO, Durability.DEFERRED);
        oracle.checkRecovered(new FoundStore().with(KEY, image(ONE)));

        assertViolated("I3 no invention", image(TWO));
        assertAllowed(image(ONE));
    }

    @Test
    void copyGoesItsOwnWay() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        Oracle copy = oracle.copy();
        copy.returned(copy.invoked(ModelMove.WRITE, KEY, TWO, Durability.FORCED), true);

        assertAllowed(image(ONE));
        assertThatThrownBy(() -> copy.checkRecovered(new FoundStore().with(KEY, image(ONE))))
                .hasMessageContaining("I1 durable");
    }

    @Test
    void aReaderAfterTheCopySeesNothingInTheCopy() {
        oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        Oracle before = oracle.copy();
        oracle.seen(KEY, 0, false, image -> !image.isAbsent(), "the value");

        assertThatCode(() -> before.checkRecovered(new FoundStore())).doesNotThrowAnyException();
        assertViolated("I7 no dirty read", ModelImage.ABSENT);
    }

    @Test
    void statusThatDoesNotFitTheValuesShows() {
        returned(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        FoundStore confused = new FoundStore().with(KEY, image(ONE));
        confused.lieAboutStatus(StateStatus.SHADOW);

        assertThatThrownBy(() -> check(confused)).hasMessageContaining("table of moves");
    }

    @Test
    void nothingReturnsAfterACallerHasLearnedThatTheStoreHasFailed() {
        KeyHistory.Pending refused = oracle.invoked(ModelMove.WRITE, KEY, ONE, Durability.FORCED);
        KeyHistory.Pending atTheSameTime = oracle.invoked(ModelMove.WRITE, OTHER, ONE, Durability.FORCED);
        oracle.refused(
                refused, new StoreFailedException("the store has failed", new IOException("thrown by the test")));

        oracle.returned(atTheSameTime, true);

        assertThatThrownBy(() -> returned(ModelMove.WRITE, KEY, TWO, Durability.DEFERRED))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("I5 fail-stop");
    }

    @Test
    void aSoundStoreThatCallsItselfDamagedHasLostSomething() {
        ObjectStore watched = oracle.watch(new BlamedStore());

        for (ThrowingCallable question : List.<ThrowingCallable>of(
                () -> watched.read(KEY),
                () -> watched.readShadow(KEY),
                () -> watched.statusOf(KEY),
                () -> watched.keys(KEY.type()),
                () -> watched.remove(KEY, Durability.FORCED))) {
            assertThatThrownBy(question)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("I1 durable violated: a sound store says that it is damaged");
        }
    }

    @Test
    void aStoreWhoseBytesWereDamagedMaySaySo() {
        oracle.expectDamage();

        assertThatThrownBy(() -> oracle.copy().watch(new BlamedStore()).read(KEY))
                .isInstanceOf(CorruptStoreException.class);
    }

    private void returned(ModelMove move, StateKey key, byte[] state, Durability durability) {
        oracle.returned(oracle.invoked(move, key, state, durability), true);
    }

    private void assertAllowed(ModelImage found) {
        assertThatCode(() -> check(new FoundStore().with(KEY, found))).doesNotThrowAnyException();
    }

    private void assertViolated(String invariant, ModelImage found) {
        assertThatThrownBy(() -> check(new FoundStore().with(KEY, found)))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(invariant + " violated")
                .satisfies(violation -> assertThat(violation).hasMessageContaining(KEY.toString()));
    }

    private void check(FoundStore found) {
        oracle.copy().checkRecovered(found);
    }

    private static ModelImage image(byte[] committed) {
        return new ModelImage(committed, null, false);
    }

    /** A store that takes every record for damaged. */
    private static final class BlamedStore extends ForwardingStore {
        BlamedStore() {
            super(new FoundStore());
        }

        @Override
        public Optional<byte[]> read(StateKey key) {
            throw blamed();
        }

        @Override
        public Optional<byte[]> readShadow(StateKey key) {
            throw blamed();
        }

        @Override
        public StateStatus statusOf(StateKey key) {
            throw blamed();
        }

        @Override
        public List<StateKey> keys(String type) {
            throw blamed();
        }

        @Override
        public boolean remove(StateKey key, Durability durability) {
            throw blamed();
        }

        private static CorruptStoreException blamed() {
            return new CorruptStoreException(Path.of("segment-000001.seg"), 512, "a record is damaged", "nothing");
        }
    }
}
