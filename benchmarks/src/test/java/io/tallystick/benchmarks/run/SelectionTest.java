package io.tallystick.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.subject.Subject;
import java.util.List;
import org.junit.jupiter.api.Test;

class SelectionTest {
    @Test
    void storesAreTakenByNameAndByGroupEachOnceInTheOrderOfTheCatalogue() {
        assertThat(Selection.stores(List.of("narayana-file, inmemory", "narayana-file")))
                .extracting(Subject::name)
                .containsExactly("inmemory", "narayana-file");
        assertThat(Selection.stores(List.of("journal"))).hasSize(10).allMatch(subject -> subject.name()
                .startsWith("journal-"));
        assertThat(Selection.stores(List.of("ours,peers"))).isEqualTo(Selection.stores(List.of("all")));
        assertThat(Selection.stores(List.of("durable"))).allMatch(Subject::isDurable);
    }

    @Test
    void unknownStoreIsAnsweredWithTheNearestNameOrGroup() {
        assertThatThrownBy(() -> Selection.stores(List.of("jornal")))
                .isInstanceOf(UsageException.class)
                .hasMessage("--store: there is no store 'jornal'; did you mean 'journal'? (--list shows all)");
        assertThatThrownBy(() -> Selection.stores(List.of("narayana-slot")))
                .hasMessageContaining("did you mean 'narayana-slots'?");
    }

    @Test
    void threadCountsAreSortedAndTakenOnce() {
        assertThat(Selection.threads(List.of("16,1", "4,16"))).containsExactly(1, 4, 16);
    }

    @Test
    void threadCountsOutOfRangeAreAnsweredWithTheNearestInRange() {
        assertThatThrownBy(() -> Selection.threads(List.of("0"))).hasMessageContaining("did you mean '1'?");
        assertThatThrownBy(() -> Selection.threads(List.of("99999"))).hasMessageContaining("did you mean '10000'?");
        assertThatThrownBy(() -> Selection.threads(List.of("many")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("'many' is not a number");
    }

    @Test
    void protocolsAreReadInAnyCase() {
        assertThat(Selection.protocols(List.of("2pc,1PC"))).containsExactly(Protocol.ONE_PHASE, Protocol.TWO_PHASE);
        assertThatThrownBy(() -> Selection.protocols(List.of("2P")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("did you mean '2PC'?");
    }

    @Test
    void anOptionThatNamesNothingIsRefused() {
        assertThatThrownBy(() -> Selection.stores(List.of(" , ")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--store has no value");
    }
}
