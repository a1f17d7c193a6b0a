package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void textStandsLeftAndFiguresRight() {
        Table table = new Table("store").column("tx/s", 0).column("p99", 1);
        table.row(List.of("inmemory", "135,128", "9.00 us"));
        table.row(List.of("file", "4,413", "1.20 ms"));

        assertThat(table.lines(Terminal.UNLIMITED))
                .containsExactly(
                        "store        tx/s      p99",
                        "--------------------------",
                        "inmemory  135,128  9.00 us",
                        "file        4,413  1.20 ms");
    }

    @Test
    void coloursTakeNoRoom() {
        Terminal coloured = new Terminal(new PrintStream(PrintStream.nullOutputStream()), true, true, 80);
        Table plain = new Table("store").column("tx/s", 0).row(List.of("file", "4,413"));
        Table green = new Table("store").column("tx/s", 0).row(List.of(coloured.green("file"), "4,413"));

        assertThat(green.lines(80).get(1)).isEqualTo(plain.lines(80).get(1));
        assertThat(Terminal.width(green.lines(80).get(2)))
                .isEqualTo(plain.lines(80).get(2).length());
    }

    @Test
    void columnWithoutAnyFigureIsLeftOut() {
        Table table = new Table("store").column("tx/s", 0).column("syncs/s", 1);
        table.row(List.of("file", "4,413", Text.NOTHING));

        assertThat(table.lines(Terminal.UNLIMITED).get(0)).isEqualTo("store   tx/s");
        assertThat(table.leftOut(Terminal.UNLIMITED)).isEmpty();
    }

    @Test
    void whereThereIsNoRoomTheHighestRankGivesWayFirstAndIsNamed() {
        Table table = new Table("store").column("tx/s", 0).column("CPU/tx", 2).column("p99", 1);
        table.row(List.of("file", "4,413", "96.0 us", "1.20 ms"));

        assertThat(table.lines(21)).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(21));
        assertThat(table.lines(21).get(0)).isEqualTo("store   tx/s      p99");
        assertThat(table.leftOut(21)).containsExactly("CPU/tx");
    }

    @Test
    void rowOfTheWrongLengthIsRefused() {
        assertThatThrownBy(() -> new Table("store").column("tx/s", 0).row(List.of("file")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
