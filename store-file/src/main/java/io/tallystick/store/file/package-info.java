/**
 * A store that keeps one file for each key: the whole image of the key, written beside the old one, forced, and given the
 * key's name. Read {@link io.tallystick.store.file.FileStore}, {@code StateFiles}, {@code SyncRounds} and
 * {@code StateFileFormat}, in this order; docs/store-file.md has the picture and docs/format/file-v1.md every byte.
 */
package io.tallystick.store.file;
