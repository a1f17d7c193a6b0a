package io.tallystick.testkit;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.spi.ForwardingStore;

/** Another store, to be spoilt in one place; what spoils it may go to the sound one past itself. */
class DelegatingStore extends ForwardingStore {
    final ObjectStore store;

    DelegatingStore(ObjectStore store) {
        super(store);
        this.store = store;
    }
}
