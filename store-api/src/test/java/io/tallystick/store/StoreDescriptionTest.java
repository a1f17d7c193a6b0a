package io.tallystick.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StoreDescriptionTest {
    @Test
    void isOneLineInTheWordsOfTheConfiguration() {
        assertThat(new StoreDescription(
                        "journal",
                        Optional.of("segmented"),
                        Optional.of("aio"),
                        Optional.of(Path.of("/var/lib/tx")),
                        "no uring: old kernel"))
                .hasToString("journal engine=segmented io=aio directory=/var/lib/tx (no uring: old kernel)");
        assertThat(new StoreDescription("inmemory", Optional.empty(), Optional.empty(), Optional.empty(), ""))
                .hasToString("inmemory");
        assertThat(new StoreDescription(
                        "postgresql",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        "postgresql://db/tx",
                        "",
                        ""))
                .hasToString("postgresql place=\"postgresql://db/tx\"");
    }

    @Test
    void theDirectoryIsThePlaceOfAStoreThatHasOne() {
        Path directory = Path.of("/var/lib/tx");

        assertThat(new StoreDescription("file", Optional.empty(), Optional.empty(), Optional.of(directory), "").place())
                .isEqualTo(directory.toString());
    }

    @Test
    void recordsPerForceIsAnAverage() {
        assertThat(statistics(0, 0).recordsPerForce()).isZero();
        assertThat(statistics(4, 10).recordsPerForce()).isEqualTo(2.5);
    }

    private static StoreStatistics statistics(long forces, long recordsForced) {
        return new StoreStatistics(0, 0, 0, 0, 0, 0, forces, recordsForced, StoreStatistics.Latency.NONE);
    }
}
