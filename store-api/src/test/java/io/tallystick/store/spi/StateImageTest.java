package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tallystick.store.StateStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The moves in code against the table in the documentation of {@link StateStatus}, read from its source. */
class StateImageTest {
    private static final Path DOCUMENTATION = Path.of("src/main/java/io/tallystick/store/StateStatus.java");
    private static final byte[] OLD = {1};
    private static final byte[] SHADOW = {2};
    private static final byte[] NEW = {3};

    /** One cell of the table, with what it says for a key with or without a committed value. */
    private record Cell(String operation, StateStatus start, String text) {
        StateStatus end(boolean committed) {
            if (text.startsWith("unchanged")) {
                return start;
            }
            if (!committed && text.contains(", or ABSENT without a committed value")) {
                return StateStatus.ABSENT;
            }
            return StateStatus.valueOf(text.split("[^A-Z_]")[0]);
        }

        Optional<Boolean> answer(boolean committed) {
            Matcher bracket = Pattern.compile("\\((true|false)( if there was a committed value)?\\)")
                    .matcher(text);
            if (!bracket.find()) {
                return Optional.empty();
            }
            return Optional.of(bracket.group(2) == null ? bracket.group(1).equals("true") : committed);
        }
    }

    @TestFactory
    Stream<DynamicTest> everyCellOfTheDocumentedTable() throws IOException {
        List<Cell> cells = cells();
        assertThat(cells).hasSize(7 * StateStatus.values().length);
        return cells.stream()
                .map(cell -> dynamicTest(cell.operation + " on " + cell.start + ": " + cell.text, () -> check(cell)));
    }

    private static List<Cell> cells() throws IOException {
        String table = Files.readString(DOCUMENTATION).replaceAll("\n \\* *", " ");
        List<Cell> cells = new ArrayList<>();
        Matcher rows =
                Pattern.compile("<tr><td>\\{@code (\\w+)}</td>(.*?)</tr>").matcher(table);
        while (rows.find()) {
            Matcher columns = Pattern.compile("<td>(.*?)</td>").matcher(rows.group(2));
            for (StateStatus start : StateStatus.values()) {
                assertThat(columns.find())
                        .as("column %s of %s", start, rows.group(1))
                        .isTrue();
                cells.add(new Cell(rows.group(1), start, columns.group(1).replaceAll("\\s+", " ")));
            }
        }
        return cells;
    }

    private static void check(Cell cell) {
        for (StateImage start : imagesOf(cell.start)) {
            boolean committed = start.committed() != null;
            StateImage end = moveOf(cell.operation).apply(start);

            assertThat(end.status())
                    .as("status after %s on %s", cell.operation, start)
                    .isEqualTo(cell.end(committed));
            cell.answer(committed).ifPresent(answer -> assertThat(answered(cell.operation, start, end))
                    .isEqualTo(answer));
            assertThat(end.isHidden()).isEqualTo(end.status().isHidden());
            assertThat(end.shadow() != null).isEqualTo(end.status().hasShadow());
        }
    }

    /** What a store answers, from the images before and after. */
    private static boolean answered(String operation, StateImage start, StateImage end) {
        return switch (operation) {
            case "hide", "reveal" -> !start.isAbsent();
            default -> start != end;
        };
    }

    private static List<StateImage> imagesOf(StateStatus status) {
        return switch (status) {
            case ABSENT -> List.of(StateImage.ABSENT);
            case COMMITTED -> List.of(StateImage.of(OLD, null, false));
            case SHADOW -> List.of(StateImage.of(null, SHADOW, false), StateImage.of(OLD, SHADOW, false));
            case COMMITTED_HIDDEN -> List.of(StateImage.of(OLD, null, true));
            case SHADOW_HIDDEN -> List.of(StateImage.of(null, SHADOW, true), StateImage.of(OLD, SHADOW, true));
        };
    }

    private static UnaryOperator<StateImage> moveOf(String operation) {
        return switch (operation) {
            case "write" -> image -> image.write(NEW);
            case "remove" -> StateImage::remove;
            case "writeShadow" -> image -> image.writeShadow(NEW);
            case "commitShadow" -> StateImage::commitShadow;
            case "discardShadow" -> StateImage::discardShadow;
            case "hide" -> StateImage::hide;
            case "reveal" -> StateImage::reveal;
            default -> throw new IllegalArgumentException(operation);
        };
    }

    @Test
    void writesPutTheValueWhereItBelongsAndLeaveTheOther() {
        StateImage both = StateImage.of(OLD, SHADOW, false);

        assertThat(both.write(NEW).committed()).isSameAs(NEW);
        assertThat(both.write(NEW).shadow()).isSameAs(SHADOW);
        assertThat(both.writeShadow(NEW).committed()).isSameAs(OLD);
        assertThat(both.writeShadow(NEW).shadow()).isSameAs(NEW);
        assertThat(both.commitShadow().committed()).isSameAs(SHADOW);
        assertThat(both.commitShadow().shadow()).isNull();
        assertThat(both.discardShadow().committed()).isSameAs(OLD);
        assertThat(both.remove().shadow()).isSameAs(SHADOW);
        assertThat(both.bytes()).isEqualTo(2);
    }

    @Test
    void moveThatChangesNothingIsTheSameImage() {
        StateImage committed = StateImage.of(OLD, null, false);
        StateImage hidden = StateImage.of(OLD, null, true);

        assertThat(StateImage.ABSENT.remove()).isSameAs(StateImage.ABSENT);
        assertThat(StateImage.ABSENT.hide()).isSameAs(StateImage.ABSENT);
        assertThat(StateImage.ABSENT.reveal()).isSameAs(StateImage.ABSENT);
        assertThat(committed.commitShadow()).isSameAs(committed);
        assertThat(committed.discardShadow()).isSameAs(committed);
        assertThat(committed.reveal()).isSameAs(committed);
        assertThat(hidden.hide()).isSameAs(hidden);
        assertThat(StateImage.of(null, SHADOW, false).remove())
                .extracting(StateImage::status)
                .isEqualTo(StateStatus.SHADOW);
    }

    @Test
    void imageWithoutValuesIsAbsentAndNotHidden() {
        assertThat(StateImage.of(null, null, true)).isSameAs(StateImage.ABSENT);
        assertThat(StateImage.of(OLD, null, true).remove()).isSameAs(StateImage.ABSENT);
        assertThat(StateImage.of(null, SHADOW, true).discardShadow()).isSameAs(StateImage.ABSENT);
    }

    @Test
    void emptyValueIsAValue() {
        StateImage empty = StateImage.of(new byte[0], null, false);

        assertThat(empty.status()).isEqualTo(StateStatus.COMMITTED);
        assertThat(empty.isAbsent()).isFalse();
        assertThat(empty.bytes()).isZero();
    }

    @Test
    void nullIsNoValue() {
        assertThatThrownBy(() -> StateImage.ABSENT.write(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> StateImage.ABSENT.writeShadow(null)).isInstanceOf(NullPointerException.class);
    }
}
