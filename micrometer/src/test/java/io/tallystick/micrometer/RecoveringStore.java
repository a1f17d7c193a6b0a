package io.tallystick.micrometer;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.spi.ForwardingStore;

/** A store that looks for its database after an outage. */
final class RecoveringStore extends ForwardingStore {
    RecoveringStore(ObjectStore store) {
        super(store);
    }

    @Override
    public StoreHealth health() {
        StoreHealth open = super.health();
        return new StoreHealth(
                StoreHealth.State.RECOVERING,
                open.failure(),
                open.lockHeld(),
                open.lastForceAge(),
                open.usableBytes(),
                open.oldestRecordAge(),
                open.storeId(),
                open.nodeId());
    }
}
