package io.tallystick.spring.boot;

import com.arjuna.ats.jbossatx.jta.RecoveryManagerService;
import io.tallystick.narayana.NarayanaStores;

/**
 * The recovery of a context. Narayana has one recovery for the whole process. So the first of two contexts that is
 * closed leaves it running for the other one.
 */
final class SharedRecovery extends RecoveryManagerService {
    private final NarayanaStores stores;

    SharedRecovery(NarayanaStores stores) {
        this.stores = stores;
    }

    @Override
    public void stop() throws Exception {
        if (!stores.isShared()) {
            super.stop();
        }
    }
}
