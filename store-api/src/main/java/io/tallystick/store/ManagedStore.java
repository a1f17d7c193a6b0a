package io.tallystick.store;

import io.tallystick.store.spi.ForwardingStore;

/** A store that management clients see from opening to closing. All operations are those of the store itself. */
final class ManagedStore extends ForwardingStore {
    private final StoreManagement management;

    private ManagedStore(ObjectStore store, StoreManagement management) {
        super(store);
        this.management = management;
    }

    static ObjectStore managing(ObjectStore store) {
        return new ManagedStore(store, StoreManagement.register(store, System::nanoTime));
    }

    @Override
    public void close() {
        try {
            management.unregister();
        } finally {
            super.close();
        }
    }
}
