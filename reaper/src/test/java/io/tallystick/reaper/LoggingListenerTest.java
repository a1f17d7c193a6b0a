package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoggingListenerTest {
    private final LogCapture log = new LogCapture();
    private final ReaperListener listener = ReaperListener.logging();
    private final List<StackTraceElement> stack = List.of(new StackTraceElement("Shop", "sell", "Shop.java", 7));

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void saysWhatExpiredAndWhereItsThreadWas() {
        listener.expired(expiry(CancelOutcome.CANCELLED));

        assertThat(log.messages().remove())
                .startsWith("TALLY0601 transaction=tx reason=TIMEOUT timeout=60s outcome=CANCELLED")
                .contains("Shop.sell(Shop.java:7)");
    }

    @Test
    void isSilentAboutWhatHadEndedBefore() {
        listener.expired(expiry(CancelOutcome.ENDED_BEFORE));

        assertThat(log.messages()).isEmpty();
    }

    @Test
    void saysWhatIsWedgedAndWhatCanNoLongerCommit() {
        TestTransaction transaction = new TestTransaction("tx");
        listener.wedged(new WedgedCancel(transaction, "worker", Duration.ofMillis(5100), stack));
        listener.commitPrevented(transaction);

        assertThat(log.messages().remove())
                .startsWith("TALLY0602 cancelling transaction=tx has not come back for 5100ms; thread=worker")
                .contains("Shop.sell(Shop.java:7)");
        assertThat(log.messages().remove()).startsWith("TALLY0603 transaction=tx");
    }

    @Test
    void tellsTheNextListenerToo() {
        int[] told = new int[3];
        ReaperListener both = listener.andThen(new ReaperListener() {
            @Override
            public void expired(Expiry expiry) {
                told[0]++;
            }

            @Override
            public void wedged(WedgedCancel wedged) {
                told[1]++;
            }

            @Override
            public void commitPrevented(Reapable transaction) {
                told[2]++;
            }
        });
        both.expired(expiry(CancelOutcome.REFUSED));
        both.wedged(new WedgedCancel(new TestTransaction("tx"), "worker", Duration.ZERO, stack));
        both.commitPrevented(new TestTransaction("tx"));

        assertThat(told).containsExactly(1, 1, 1);
        assertThat(log.messages()).hasSize(3);
    }

    private Expiry expiry(CancelOutcome outcome) {
        return new Expiry(
                new TestTransaction("tx"),
                ExpiryReason.TIMEOUT,
                Duration.ofSeconds(60),
                Duration.ZERO,
                outcome,
                Optional.empty(),
                stack);
    }
}
