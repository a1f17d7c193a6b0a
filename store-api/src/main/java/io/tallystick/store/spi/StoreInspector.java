package io.tallystick.store.spi;

import java.nio.file.Path;

/**
 * Looks into directories of one kind of store; found by {@link java.util.ServiceLoader}, through {@link
 * StoreInspectors}.
 *
 * <p>An inspector reads and does nothing else. It takes no lock that lasts, makes no file, and changes no byte. It
 * needs no other permission than to read. So it works on a read-only mount, on a copy, and on a store too damaged to be
 * opened. Opening refuses at the first damaged place; an inspector goes on and reports all of them.
 */
public interface StoreInspector {
    /**
     * The name that such a store gives itself and its format, as in the file {@code tallystick.store}: {@code file-v1}
     * and the like.
     */
    String kind();

    /**
     * Whether the directory holds a store of this kind, or the remains of one whose {@code tallystick.store} is
     * damaged or missing. False where there is no such directory.
     *
     * @throws io.tallystick.store.StoreIoException the directory cannot be read
     */
    boolean recognizes(Path directory);

    /**
     * Reads the store. The inspection describes the store at one moment between call and return. Memory
     * is in proportion to the records of the store, not to the size of its files. Values are read again when the caller
     * asks for them, unless the store is in use.
     *
     * @throws io.tallystick.store.StoreLockedException the store is in use, and this kind cannot be read then; or it
     *     was opened while it was read
     * @throws io.tallystick.store.UnsupportedFormatException the store has a newer format than this library reads
     * @throws io.tallystick.store.StoreIoException the directory cannot be read
     */
    StoreInspection inspect(Path directory);

    /**
     * As {@link #inspect}, for a caller that has the directory's lock, so the store does not change meanwhile. The
     * inspector does not check that the lock is held.
     *
     * @throws io.tallystick.store.UnsupportedFormatException the store has a newer format than this library reads
     * @throws io.tallystick.store.StoreIoException the directory cannot be read
     */
    StoreInspection inspectOwned(Path directory);
}
