package io.tallystick.micrometer;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.spi.ForwardingStore;
import java.time.Duration;
import java.util.Optional;

/** A store that tells of a log on another machine. */
final class RemoteStore extends ForwardingStore {
    RemoteStore(ObjectStore store) {
        super(store);
    }

    @Override
    public StoreStatistics statistics() {
        return super.statistics()
                .with(Optional.of(new StoreStatistics.Remote(
                        1, 2, 3, 4, Duration.ofMillis(5500), Duration.ofMillis(6500), 7, 8, 9, 10)));
    }
}
