package io.tallystick.store.spi;

/** Events without a recorder. One object stands for all of them, so no event allocates memory. */
final class SilentEvents implements StoreEvents, StoreEvents.Force, StoreEvents.Recovery, StoreEvents.Relocation {
    static final SilentEvents INSTANCE = new SilentEvents();

    private SilentEvents() {}

    @Override
    public StoreEvents.Force beginForce() {
        return this;
    }

    @Override
    public StoreEvents.Recovery beginRecovery() {
        return this;
    }

    @Override
    public StoreEvents.Relocation beginRelocation() {
        return this;
    }

    @Override
    public void reclaimed(String file, boolean isUsedAgain) {
        // no recorder
    }

    @Override
    public void failed(Throwable cause) {
        // no recorder
    }

    @Override
    public void succeeded(long records, long bytes) {
        // no recorder
    }

    @Override
    public void ended(long records, long bytes) {
        // no recorder
    }

    @Override
    public void ended(String file, long records, long bytes) {
        // no recorder
    }
}
