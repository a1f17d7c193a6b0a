package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LandingOrderTest {
    private final LandingOrder order = new LandingOrder();

    @Test
    void nothingIsDurableBehindABatchThatIsStillOnItsWay() {
        Flight first = flight(1, 5);
        Flight second = flight(2, 8);
        Flight third = flight(3, 9);

        land(second);
        assertThat(order.durableSequence()).isZero();
        assertThat(order.durableAppends()).isZero();

        land(first);
        assertThat(order.durableSequence()).isEqualTo(2);
        assertThat(order.durableAppends()).isEqualTo(8);
        assertThat(order.isEmpty()).isFalse();

        land(third);
        assertThat(order.durableSequence()).isEqualTo(3);
        assertThat(order.isEmpty()).isTrue();
    }

    /** An engine knows from recovery what is durable before the first batch of an opening. */
    @Test
    void theDurableSequenceDoesNotGoBackBehindTheFirstBatchOfAnOpening() {
        Flight first = flight(1_025, 5);
        Flight second = flight(1_026, 8);

        land(second);
        assertThat(order.durableSequence()).isEqualTo(1_024);

        land(first);
        assertThat(order.durableSequence()).isEqualTo(1_026);
    }

    private Flight flight(long sequence, long takenAtEnd) {
        Flight flight = new Flight();
        flight.batch = new MemoryLog.MemoryBatch(sequence, null, 1, null);
        flight.takenAtEnd = takenAtEnd;
        order.add(flight);
        return flight;
    }

    private void land(Flight flight) {
        flight.landed = true;
        order.advance();
    }
}
