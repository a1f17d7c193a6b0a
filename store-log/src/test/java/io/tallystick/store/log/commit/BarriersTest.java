package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BarriersTest {
    private final Barriers barriers = new Barriers();

    @Test
    void aChainIsGivenBackWithoutItsBarriersInItsOrder() {
        PendingAppend first = append();
        PendingAppend second = append();

        PendingAppend left =
                barriers.takeOutOf(chain(PendingAppend.barrier(), first, PendingAppend.barrier(), second), 10);

        assertThat(listOf(left)).containsExactly(first, second);
    }

    @Test
    void aChainOfBarriersLeavesNothing() {
        assertThat(barriers.takeOutOf(chain(PendingAppend.barrier(), PendingAppend.barrier()), 0))
                .isNull();
        assertThat(listOf(barriers.release(0))).hasSize(2);
    }

    @Test
    void aBarrierIsReleasedWhenAllThatWasQueuedBeforeItIsDurableAndNotBefore() {
        PendingAppend early = PendingAppend.barrier();
        PendingAppend late = PendingAppend.barrier();
        barriers.takeOutOf(chain(append(), early, append(), late, append()), 10);

        assertThat(barriers.release(10)).isNull();
        assertThat(listOf(barriers.release(11))).containsExactly(early);
        assertThat(barriers.release(11)).isNull();
        assertThat(listOf(barriers.release(13))).containsExactly(late);
        assertThat(barriers.first()).isNull();
    }

    @Test
    void barriersOfLaterChainsWaitBehindThoseThatAreKept() {
        PendingAppend early = PendingAppend.barrier();
        PendingAppend late = PendingAppend.barrier();
        barriers.takeOutOf(chain(append(), early), 0);
        barriers.takeOutOf(chain(append(), late), 1);

        assertThat(listOf(barriers.release(2))).containsExactly(early, late);
    }

    @Test
    void whatIsForgottenIsReleasedNoMore() {
        PendingAppend kept = PendingAppend.barrier();
        barriers.takeOutOf(chain(PendingAppend.barrier(), kept), 0);

        barriers.beginWith(kept);
        assertThat(barriers.first()).isSameAs(kept);
        barriers.beginWith(null);
        PendingAppend next = PendingAppend.barrier();
        barriers.takeOutOf(chain(next), 0);

        assertThat(listOf(barriers.release(0))).containsExactly(next);
    }

    private static PendingAppend append() {
        return PendingAppend.of(
                StateKey.of("/Type", ObjectId.of(new byte[] {1})),
                StateImage.ABSENT.write(new byte[8]),
                new byte[64],
                false);
    }

    private static PendingAppend chain(PendingAppend... appends) {
        return AppendChains.of(List.of(appends));
    }

    private static List<PendingAppend> listOf(PendingAppend first) {
        List<PendingAppend> all = new ArrayList<>();
        for (PendingAppend append = first; append != null; append = append.next()) {
            all.add(append);
        }
        return all;
    }
}
