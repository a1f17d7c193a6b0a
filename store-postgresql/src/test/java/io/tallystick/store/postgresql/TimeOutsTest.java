package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StoreOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lease, patience and the hosts of the URL leave time for each other, or the opening says which do not. */
class TimeOutsTest {
    @Test
    void aLeaseThatEndsBeforeTheLastHostIsReachedIsRefusedAtTheOpening() {
        assertThatThrownBy(() -> Stores.open(Stores.settings("jdbc:postgresql://a:1,b:1,c:1,d:1/tx", "n")
                        .set(StoreOption.LEASE, Duration.ofSeconds(5))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.lease=5000ms")
                .hasMessageContaining("4 hosts of tallystick.postgresql.url")
                .hasMessageContaining("Set tallystick.lease to 6s or longer");
    }

    @Test
    void aPatienceThatEndsBeforeTheLastHostIsReachedIsRefusedAtTheOpening() {
        assertThatThrownBy(() -> Stores.open(Stores.settings("jdbc:postgresql://a:1,b:1/tx", "n")
                        .set(StoreOption.PATIENCE, Duration.ofSeconds(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.patience=1000ms")
                .hasMessageContaining("2 hosts of tallystick.postgresql.url")
                .hasMessageContaining("Set tallystick.patience to 2s or longer");
    }

    /** The machine of the primary is gone just after a beat, and so are all other hosts but the last. */
    @ParameterizedTest
    @CsvSource({
        "2s, 1", "2s, 2", "4s, 3", "10s, 1", "10s, 2", "10s, 3", "10s, 6", "30s, 5", "60s, 12", "10m, 2", "10m, 30"
    })
    void anOwnerIsHeardOfByTheNextPrimaryBeforeItsLeaseIsOver(String lease, int hosts) {
        PostgresOptions options = PostgresOptions.from(Stores.settings("jdbc:postgresql://a/tx", "n")
                .set(StoreOption.LEASE, StoreOption.LEASE.parse(lease))
                .set(StoreOption.PATIENCE, Duration.ofMinutes(10))
                .build());
        TimeOuts.check(options, hosts);
        TimeOuts beat = TimeOuts.ofBeat(options);

        Duration silent = Ownership.beatOf(options.lease())
                .plus(beat.read())
                .plus(beat.connectTo(hosts).multipliedBy(hosts - 1L));
        assertThat(silent).isLessThanOrEqualTo(options.lease());
    }

    @Test
    void aBeatWaitsNoLongerThanALane() {
        PostgresOptions options = PostgresOptions.from(Stores.settings("jdbc:postgresql://a/tx", "n")
                .set(StoreOption.LEASE, Duration.ofMinutes(10))
                .set(StoreOption.PATIENCE, Duration.ofSeconds(9))
                .build());
        assertThat(TimeOuts.ofBeat(options).read()).isEqualTo(Duration.ofSeconds(3));
    }
}
