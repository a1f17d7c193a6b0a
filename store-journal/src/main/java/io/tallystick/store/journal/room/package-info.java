/**
 * The room of a log on files: bytes that no record has reserved, and the reserves that keep removals possible on a full
 * disk.
 */
package io.tallystick.store.journal.room;
