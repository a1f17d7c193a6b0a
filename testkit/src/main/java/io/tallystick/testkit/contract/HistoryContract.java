package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.States;
import io.tallystick.testkit.oracle.ModelImage;
import io.tallystick.testkit.oracle.ModelMove;
import io.tallystick.testkit.oracle.ModelStore;
import io.tallystick.testkit.oracle.StoreCall;
import io.tallystick.testkit.oracle.StoreMoves;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random histories of all operations, compared with a map after every step and after opening again. */
interface HistoryContract extends StoreContract {
    /** The seeds of the histories; a failure's message has its seed. */
    static LongStream seeds() {
        return LongStream.rangeClosed(1, 12);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.tallystick.testkit.contract.HistoryContract#seeds")
    default void aRandomHistoryIsTheSameAsThatOfAMap(long seed) {
        Random random = new Random(seed);
        List<StateKey> keys = keysOfHistory();
        ModelStore model = new ModelStore();
        List<String> history = new ArrayList<>();
        try {
            for (int step = 0; step < 200; step++) {
                if (subject().isDurable() && random.nextInt(70) == 0) {
                    history.add("reopened");
                    subject().reopened();
                    checkAll(model, keys);
                }
                StateKey key = keys.get(random.nextInt(keys.size()));
                history.add(step(random, model, key));
                check(model, key);
            }
            subject().nowAndAfterReopening(store -> checkAll(model, keys));
        } catch (AssertionError | RuntimeException failed) {
            throw new AssertionError("seed=" + seed + " history=" + history, failed);
        }
    }

    private List<StateKey> keysOfHistory() {
        List<StateKey> keys = new ArrayList<>();
        for (String type : List.of("/H", "/H/I", "/J")) {
            keys.add(subject().key(type, 1));
            keys.add(subject().key(type, 2));
        }
        return keys;
    }

    private String step(Random random, ModelStore model, StateKey key) {
        byte[] state = States.random(random.nextInt(300), random.nextLong());
        Durability durability = random.nextInt(3) == 0 ? Durability.FORCED : Durability.DEFERRED;
        ModelMove[] moves = ModelMove.values();
        int kind = random.nextInt(moves.length + 2);
        if (kind == moves.length) {
            store().force();
            return "force";
        }
        if (kind == moves.length + 1) {
            StoreCall.await(store().writeAsync(key, state));
            model.move(ModelMove.WRITE, key, state);
            return "writeAsync " + key + " " + ModelImage.shown(state);
        }
        String shown = moves[kind] + " " + key + " " + durability + " " + ModelImage.shown(state);
        boolean answer = StoreMoves.perform(store(), moves[kind], key, state, durability);
        assertThat(answer).as(shown).isEqualTo(model.move(moves[kind], key, state));
        return shown;
    }

    private void check(ModelStore model, StateKey key) {
        ModelImage image = model.image(key);
        assertThat(store().statusOf(key)).as("status of " + key).isEqualTo(image.status());
        assertThat(store().read(key).orElse(null))
                .as("committed value of " + key)
                .isEqualTo(image.readable());
        assertThat(store().readShadow(key).orElse(null))
                .as("shadow value of " + key)
                .isEqualTo(image.readableShadow());
    }

    private void checkAll(ModelStore model, List<StateKey> keys) {
        keys.forEach(key -> check(model, key));
        assertThat(store().types()).isEqualTo(model.types());
        for (StateKey key : keys) {
            assertThat(store().keys(key.type())).containsExactlyInAnyOrderElementsOf(model.keys(key.type()));
        }
        assertThat(store().statistics().records()).isEqualTo(model.records());
        assertThat(store().statistics().bytes()).isEqualTo(model.bytes());
    }
}
