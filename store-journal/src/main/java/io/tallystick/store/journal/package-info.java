/** A store whose transactions share their syncs: begin with {@link io.tallystick.store.journal.JournalStore}. */
package io.tallystick.store.journal;
