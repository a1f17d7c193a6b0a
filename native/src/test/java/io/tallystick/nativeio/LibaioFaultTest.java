package io.tallystick.nativeio;

import io.tallystick.storage.ChildJvm;

class LibaioFaultTest extends AioFaultContract {
    @Override
    void requireEngine() {
        Requirements.libaio(directory);
    }

    @Override
    ChildJvm process() {
        return WriterProcess.inAJvmBefore22(directory);
    }
}
