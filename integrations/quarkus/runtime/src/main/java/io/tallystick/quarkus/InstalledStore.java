package io.tallystick.quarkus;

import io.tallystick.narayana.NarayanaStores;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The place of the one store of a running application. It is made before Narayana is initialized, empty, so that its
 * closing can be the last of all tasks of the shutdown. Any thread.
 */
public final class InstalledStore {
    private final AtomicReference<NarayanaStores> installed = new AtomicReference<>();

    /** An empty place. */
    InstalledStore() {}

    void put(NarayanaStores stores) {
        installed.set(stores);
    }

    Optional<NarayanaStores> find() {
        return Optional.ofNullable(installed.get());
    }

    /** Shuts Narayana's stores down, if one was installed; a second call does nothing. */
    void close() {
        NarayanaStores closing = installed.getAndSet(null);
        if (closing != null) {
            closing.close();
        }
    }
}
