/**
 * A store that keeps one file for each key. The file holds the whole image of the key. It is written beside the old
 * one, forced, and given the key's name. Read {@link io.tallystick.store.file.FileStore}, {@code StateChanges}, {@code
 * StateFiles}, {@code SyncRounds} and {@code StateFileFormat}, in this order. {@code KeyTicket} puts the operations of
 * a key in a queue, and {@code FileStoreOpening} opens a store. docs/store-file.md has the picture and
 * docs/format/file-v1.md every byte.
 */
@NullMarked
package io.tallystick.store.file;

import org.jspecify.annotations.NullMarked;
