package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.LossMarking;
import org.junit.jupiter.api.Test;

/** What hears of a loss goes on where nothing can be marked. */
class LossMarkerTest {
    @Test
    void aThreadThatCannotStartIsALossThatCannotBeMarked() {
        PostgresOptions options = PostgresOptions.from(
                Stores.settings(PostgresServer.urlOf("127.0.0.1:1"), "node").build());
        Acknowledged acknowledged = new Acknowledged(1);
        acknowledged.add(0, 1, 1);
        LossMarker marker = new LossMarker(
                new Connections(options),
                options,
                NanoClock.SYSTEM,
                new LogOwner(1, "a test"),
                acknowledged,
                task -> new Thread(task) {
                    @Override
                    public void start() {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                });

        assertThatCode(() -> marker.notice(new LostBatchesException("a test"))).doesNotThrowAnyException();

        assertThat(marker.marking()).isEqualTo(LossMarking.IMPOSSIBLE);
    }
}
