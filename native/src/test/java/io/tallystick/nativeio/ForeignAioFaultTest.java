package io.tallystick.nativeio;

import io.tallystick.storage.ChildJvm;

class ForeignAioFaultTest extends AioFaultContract {
    @Override
    void requireEngine() {
        Requirements.foreignAio(directory);
    }

    @Override
    ChildJvm process() {
        return WriterProcess.inAJvm(directory);
    }
}
