package io.tallystick.testkit.oracle;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.testkit.States;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The store of this test answers as it is told, and may do something else in the middle of a call. */
class MoveHistoryTest {
    private static final byte[] ONE = States.of("1");
    private static final byte[] TWO = States.of("2");

    private final Deque<Callable<Object>> answers = new ArrayDeque<>();
    private final MoveHistory history = new MoveHistory(store(), StateKey.of("/T", ObjectId.of(new byte[] {1})));

    @Test
    void whatAMapWouldAnswerIsExplained() {
        write(ONE, Durability.FORCED);
        read(ONE);
        answers.add(() -> true);
        history.move(ModelMove.REMOVE, null, Durability.DEFERRED);
        read(null);

        assertThatCode(history::check).doesNotThrowAnyException();
        assertThatCode(() -> recovered(ONE)).as("the deferred removal is lost").doesNotThrowAnyException();
        assertThatCode(() -> recovered(null)).doesNotThrowAnyException();
    }

    @Test
    void aSoundStoreThatCallsItselfDamagedHasLostSomething() {
        answers.add(() -> {
            throw new CorruptStoreException(Path.of("segment-000001.seg"), 512, "a record is damaged", "nothing");
        });

        assertThatThrownBy(history::read)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("I1 durable violated: a sound store says that it is damaged");
    }

    @Test
    void callsAtTheSameTimeMayTakeEffectInEitherOrder() {
        answers.add(() -> {
            read(null);
            read(ONE);
            return null;
        });
        history.move(ModelMove.WRITE, ONE, Durability.DEFERRED);

        assertThatCode(history::check).doesNotThrowAnyException();
    }

    @Test
    void aStateThatIsStillSeenAfterARemovalThatFoundNothingIsNotExplained() {
        write(ONE, Durability.FORCED);
        answers.add(() -> {
            answers.add(() -> false);
            history.move(ModelMove.REMOVE, null, Durability.DEFERRED); // the other removal is not visible yet
            read(ONE);
            return true;
        });
        history.move(ModelMove.REMOVE, null, Durability.FORCED);

        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class).hasMessageContaining("I3");
    }

    @Test
    void aValueThatGoesBackIsNotExplained() {
        write(ONE, Durability.FORCED);
        answers.add(() -> {
            read(TWO);
            read(ONE);
            return null;
        });
        history.move(ModelMove.WRITE, TWO, Durability.FORCED);

        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class);
    }

    @Test
    void aForcedMoveThatACrashUndoesIsNotExplained() {
        write(ONE, Durability.FORCED);
        write(TWO, Durability.FORCED);

        assertThatCode(() -> recovered(TWO)).doesNotThrowAnyException();
        assertThatThrownBy(() -> recovered(ONE))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("I1");
    }

    @Test
    void aForcedMoveThatFoundNothingToDoIsNotUndoneByACrash() {
        write(ONE, Durability.FORCED);
        answers.add(() -> true);
        history.move(ModelMove.REMOVE, null, Durability.DEFERRED);
        assertThatCode(() -> recovered(ONE)).doesNotThrowAnyException();
        answers.add(() -> false);
        history.move(ModelMove.REMOVE, null, Durability.FORCED);

        assertThatThrownBy(() -> recovered(ONE)).isInstanceOf(AssertionError.class);
    }

    @Test
    void whatAReaderSawOfAForcedMoveIsNotUndoneByACrash() {
        answers.add(() -> {
            read(ONE);
            throw new OutcomeUnknownException("simulated", null);
        });
        history.move(ModelMove.WRITE, ONE, Durability.FORCED);

        assertThatCode(() -> recovered(ONE)).doesNotThrowAnyException();
        assertThatThrownBy(() -> recovered(null)).isInstanceOf(AssertionError.class);
    }

    /** The shadow rides on the value: who sees the value must find it after a crash, whoever wrote last. */
    @Test
    void whatAReaderSawOfAForcedMoveBelowADeferredOneIsNotUndoneByACrash() {
        answers.add(() -> {
            deferShadow();
            read(ONE);
            throw new OutcomeUnknownException("simulated", null);
        });
        history.move(ModelMove.WRITE, ONE, Durability.FORCED);

        assertThatCode(() -> recovered(ONE)).doesNotThrowAnyException();
        assertThatThrownBy(() -> recovered(null)).isInstanceOf(AssertionError.class);
    }

    @Test
    void aDeferredValueOfItsOwnMayBeSeenBeforeTheForcedMoveBelowIsOnDisk() {
        answers.add(() -> {
            write(TWO, Durability.DEFERRED);
            read(TWO);
            throw new OutcomeUnknownException("simulated", null);
        });
        history.move(ModelMove.WRITE, ONE, Durability.FORCED);

        assertThatCode(() -> recovered(null)).doesNotThrowAnyException();
    }

    private void deferShadow() {
        answers.add(() -> null);
        history.move(ModelMove.WRITE_SHADOW, TWO, Durability.DEFERRED);
    }

    @Test
    void whatWasDeferredBeforeAForceIsNotUndoneByACrash() {
        write(ONE, Durability.DEFERRED);
        assertThatCode(() -> recovered(null)).doesNotThrowAnyException();
        answers.add(() -> null);
        history.force();

        assertThatThrownBy(() -> recovered(null)).isInstanceOf(AssertionError.class);
    }

    @Test
    void aRefusedMoveThatACrashLeavesIsNotExplained() {
        answers.add(() -> {
            throw new StoreClosedException("simulated");
        });
        history.move(ModelMove.WRITE, ONE, Durability.FORCED);

        assertThatCode(() -> recovered(null)).doesNotThrowAnyException();
        assertThatThrownBy(() -> recovered(ONE)).isInstanceOf(AssertionError.class);
    }

    private void write(byte[] state, Durability durability) {
        answers.add(() -> null);
        history.move(ModelMove.WRITE, state, durability);
    }

    private void read(byte[] seen) {
        answers.add(() -> Optional.ofNullable(seen));
        history.read();
    }

    private void recovered(byte[] committed) {
        answers.add(() -> committed == null ? StateStatus.ABSENT : StateStatus.COMMITTED);
        answers.add(() -> Optional.ofNullable(committed));
        answers.add(Optional::empty);
        try {
            history.checkRecovered(store());
        } finally {
            answers.clear();
        }
    }

    private ObjectStore store() {
        return (ObjectStore) Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(), new Class<?>[] {ObjectStore.class}, (proxy, method, arguments) -> {
                    boolean isFailure = method.getName().equals("failure");
                    return isFailure ? Optional.empty() : answers.remove().call();
                });
    }
}
