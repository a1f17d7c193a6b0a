package io.tallystick.store.spi;

/** Events that nobody hears of; also each of them, so that telling nobody makes no object. */
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
        // nobody records
    }

    @Override
    public void failed(Throwable cause) {
        // nobody records
    }

    @Override
    public void succeeded(long records, long bytes) {
        // nobody records
    }

    @Override
    public void ended(long records, long bytes) {
        // nobody records
    }

    @Override
    public void ended(String file, long records, long bytes) {
        // nobody records
    }
}
