/** The room of a journal, under jcstress. */
package io.tallystick.store.journal.room;
