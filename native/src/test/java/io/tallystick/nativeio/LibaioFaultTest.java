package io.tallystick.nativeio;

class LibaioFaultTest extends AioFaultContract {
    @Override
    void requireEngine() {
        Requirements.libaio(directory);
    }

    @Override
    ChildJvm process() {
        return new ChildJvm(directory).asBefore22();
    }
}
