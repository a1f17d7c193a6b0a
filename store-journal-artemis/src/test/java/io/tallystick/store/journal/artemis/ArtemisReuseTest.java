package io.tallystick.store.journal.artemis;

import io.tallystick.store.journal.FileReuseContract;

class ArtemisReuseTest extends FileReuseContract {
    ArtemisReuseTest() {
        super("artemis", ".jnl", 6, 10);
    }
}
