package io.tallystick.nativeio;

class ForeignAioFaultTest extends AioFaultContract {
    @Override
    void requireEngine() {
        Requirements.foreignAio(directory);
    }

    @Override
    ChildJvm process() {
        return new ChildJvm(directory);
    }
}
