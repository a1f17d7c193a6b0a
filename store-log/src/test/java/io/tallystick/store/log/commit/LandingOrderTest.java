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

    @Test
    void aBatchThatLandsBeforeADeferredChangeIsHeldUntilThatHasLanded() {
        Flight first = deferring(1, 5);
        Flight second = flight(2, 8);
        Flight third = deferring(3, 9);
        Flight fourth = flight(4, 10);

        land(fourth);
        land(second);
        assertThat(second.held).isTrue();
        assertThat(second.covered).isFalse();
        assertThat(order.firstHeld()).isSameAs(second);

        land(first);
        assertThat(first.covered).isTrue();
        assertThat(first.held).isFalse();
        assertThat(second.covered).isTrue();
        assertThat(first.firstReleased).isSameAs(second);
        assertThat(fourth.covered).isFalse();

        land(third);
        assertThat(fourth.covered).isTrue();
        assertThat(third.firstReleased).isSameAs(fourth);
        assertThat(order.firstHeld()).isNull();
    }

    @Test
    void aBatchIsNotHeldByOneThatDefersNothingOrComesLater() {
        Flight first = flight(1, 5);
        Flight second = flight(2, 8);
        deferring(3, 9);

        land(second);
        assertThat(second.held).isFalse();
        assertThat(second.covered).isTrue();
        land(first);
        assertThat(first.firstReleased).isNull();
    }

    private Flight deferring(long sequence, long takenAtEnd) {
        Flight flight = flight(sequence, takenAtEnd);
        flight.defers = true;
        order.laidOut(flight);
        return flight;
    }

    private Flight flight(long sequence, long takenAtEnd) {
        Flight flight = new Flight();
        flight.batch = new MemoryLog.MemoryBatch(sequence, null, 1, null);
        flight.takenAtEnd = takenAtEnd;
        order.add(flight);
        return flight;
    }

    private void land(Flight flight) {
        order.land(flight);
        order.advance();
    }
}
