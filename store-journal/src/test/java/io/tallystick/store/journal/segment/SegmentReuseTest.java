package io.tallystick.store.journal.segment;

import io.tallystick.store.journal.FileReuseContract;

class SegmentReuseTest extends FileReuseContract {
    SegmentReuseTest() {
        super("segmented", ".seg", 4, 4);
    }
}
