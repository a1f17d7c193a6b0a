package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.testkit.States;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every cell of the table of moves in {@link StateStatus}: each operation on a key in each state, forced and deferred,
 * checked at once and after the store was closed and opened again.
 *
 * <p>The table stands here a second time, in its own notation, so that a mistake in shared code shows. An image reads
 * {@code committed/shadow}: {@code -} is no value, {@code c} and {@code s} are the values before the move, {@code n} is
 * the value of the move. A leading {@code h} marks a hidden key.
 */
interface MovesContract extends StoreContract {
    /** The images before the move; the columns of {@link #MOVES}. */
    List<String> STARTS = List.of("-/-", "c/-", "-/s", "c/s", "hc/-", "h-/s", "hc/s");

    /** A line for each operation: the image after the move, and the operation's answer. */
    List<String> MOVES = List.of(
            "write         | n/-     | n/-     | n/s     | n/s     | hn/-     | hn/s     | hn/s    ",
            "remove        | -/- no  | -/- yes | -/s no  | -/s yes | -/- yes  | h-/s no  | h-/s yes",
            "writeShadow   | -/n     | c/n     | -/n     | c/n     | hc/n     | h-/n     | hc/n    ",
            "commitShadow  | -/- no  | c/- no  | s/- yes | s/- yes | hc/- no  | hs/- yes | hs/- yes",
            "discardShadow | -/- no  | c/- no  | -/- yes | c/- yes | hc/- no  | -/- yes  | hc/- yes",
            "hide          | -/- no  | hc/- yes| h-/s yes| hc/s yes| hc/- yes | h-/s yes | hc/s yes",
            "reveal        | -/- no  | c/- yes | -/s yes | c/s yes | c/- yes  | -/s yes  | c/s yes ");

    @TestFactory
    default Stream<DynamicNode> everyMoveOfTheTable() {
        List<Cell> cells = cells();
        List<DynamicTest> moves = new ArrayList<>();
        List<DynamicTest> afterReopening = new ArrayList<>();
        for (int i = 0; i < cells.size(); i++) {
            Cell cell = cells.get(i);
            StateKey key = key(i);
            moves.add(dynamicTest(cell.toString(), () -> {
                make(store(), key, cell.start);
                assertThat(move(store(), key, cell)).as("answer").isEqualTo(cell.answer);
                checkVisible(store(), key, cell.end);
                if (!subject().isDurable()) {
                    checkHidden(store(), key, cell.end);
                }
            }));
            afterReopening.add(dynamicTest(cell.toString(), () -> {
                checkVisible(store(), key, cell.end);
                checkHidden(store(), key, cell.end);
            }));
        }
        if (!subject().isDurable()) {
            return Stream.of(dynamicContainer("at once", moves));
        }
        return Stream.of(
                dynamicContainer("at once", moves),
                dynamicTest("close and open again", subject()::reopened),
                dynamicContainer("after opening again", afterReopening));
    }

    /** One cell of the table. */
    record Cell(String operation, Durability durability, String start, String end, Boolean answer) {
        @Override
        public String toString() {
            return operation + " " + durability + " on " + start + " gives " + end
                    + (answer == null ? "" : " and " + answer);
        }
    }

    private static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (String line : MOVES) {
            String[] columns = line.split("\\|");
            String operation = columns[0].strip();
            for (int i = 0; i < STARTS.size(); i++) {
                String[] result = columns[i + 1].strip().split(" ");
                Boolean answer = result.length == 1 ? null : Boolean.valueOf(result[1].equals("yes"));
                cells.add(new Cell(operation, Durability.FORCED, STARTS.get(i), result[0], answer));
                if (!operation.equals("hide") && !operation.equals("reveal")) {
                    cells.add(new Cell(operation, Durability.DEFERRED, STARTS.get(i), result[0], answer));
                }
            }
        }
        return cells;
    }

    private static void make(ObjectStore store, StateKey key, String image) {
        if (image.contains("c")) {
            store.write(key, States.of("c"), Durability.DEFERRED);
        }
        if (image.contains("s")) {
            store.writeShadow(key, States.of("s"), Durability.DEFERRED);
        }
        if (image.startsWith("h")) {
            store.hide(key);
        }
        checkVisible(store, key, image);
    }

    private static Boolean move(ObjectStore store, StateKey key, Cell cell) {
        byte[] state = States.of("n");
        return switch (cell.operation) {
            case "write" -> {
                store.write(key, state, cell.durability);
                yield null;
            }
            case "writeShadow" -> {
                store.writeShadow(key, state, cell.durability);
                yield null;
            }
            case "remove" -> store.remove(key, cell.durability);
            case "commitShadow" -> store.commitShadow(key, cell.durability);
            case "discardShadow" -> store.discardShadow(key, cell.durability);
            case "hide" -> store.hide(key);
            case "reveal" -> store.reveal(key);
            default -> throw new IllegalArgumentException(cell.operation);
        };
    }

    /** Checks the status and the values, and changes nothing. */
    private static void checkVisible(ObjectStore store, StateKey key, String image) {
        boolean hidden = image.startsWith("h");
        String committed = image.substring(hidden ? 1 : 0, image.indexOf('/'));
        String shadow = image.substring(image.indexOf('/') + 1);
        assertThat(store.statusOf(key)).as("status").isEqualTo(statusOf(hidden, committed, shadow));
        assertThat(store.read(key).map(States::text).orElse("-"))
                .as("committed value")
                .isEqualTo(hidden ? "-" : committed);
        assertThat(store.readShadow(key).map(States::text).orElse("-"))
                .as("shadow value")
                .isEqualTo(hidden ? "-" : shadow);
        assertThat(store.keys(key.type()).contains(key)).as("listed").isEqualTo(!image.equals("-/-"));
    }

    /** Checks the values of a hidden key, and that an absent key is not hidden. This check changes the key. */
    private static void checkHidden(ObjectStore store, StateKey key, String image) {
        if (image.startsWith("h")) {
            assertThat(store.reveal(key)).isTrue();
            checkVisible(store, key, image.substring(1));
        } else if (image.equals("-/-")) {
            store.write(key, States.of("n"), Durability.DEFERRED);
            checkVisible(store, key, "n/-");
        }
    }

    private static StateStatus statusOf(boolean hidden, String committed, String shadow) {
        if (!shadow.equals("-")) {
            return hidden ? StateStatus.SHADOW_HIDDEN : StateStatus.SHADOW;
        }
        if (!committed.equals("-")) {
            return hidden ? StateStatus.COMMITTED_HIDDEN : StateStatus.COMMITTED;
        }
        return StateStatus.ABSENT;
    }
}
