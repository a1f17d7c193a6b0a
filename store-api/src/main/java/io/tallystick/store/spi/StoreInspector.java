package io.tallystick.store.spi;

import java.nio.file.Path;

/**
 * Looks into directories of one kind of store; found by {@link java.util.ServiceLoader}, through {@link StoreInspectors}.
 *
 * <p>An inspector reads and does nothing else: it takes no lock that lasts, makes no file, changes no byte, and needs no
 * permission but to read. So it works on a read-only mount, on a copy, and on a store too damaged to be opened. Where
 * opening refuses at the first damage, an inspector goes on and reports each one.
 */
public interface StoreInspector {
    /** What such a store calls itself and its format, as in the file {@code tallystick.store}: {@code file-v1} and the like. */
    String kind();

    /**
     * Whether the directory holds a store of this kind, or what is left of one whose {@code tallystick.store} is damaged
     * or missing. False where there is no such directory.
     *
     * @throws io.tallystick.store.StoreIoException the directory cannot be read
     */
    boolean recognizes(Path directory);

    /**
     * Reads the store. What the inspection says was true of the store at one moment between call and return. Memory is in
     * proportion to what the store holds, not to the size of its files; values are read again when they are asked for,
     * unless the store is in use.
     *
     * @throws io.tallystick.store.StoreLockedException the store is in use, and this kind cannot be read then; or it was
     *     opened while it was read
     * @throws io.tallystick.store.UnsupportedFormatException the store has a newer format than this library reads
     * @throws io.tallystick.store.StoreIoException the directory cannot be read
     */
    StoreInspection inspect(Path directory);

    /**
     * As {@link #inspect}, for a caller who has the directory's lock, so that nobody changes the store meanwhile. Whether the
     * lock is held is not looked at.
     *
     * @throws io.tallystick.store.UnsupportedFormatException the store has a newer format than this library reads
     * @throws io.tallystick.store.StoreIoException the directory cannot be read
     */
    StoreInspection inspectOwned(Path directory);
}
