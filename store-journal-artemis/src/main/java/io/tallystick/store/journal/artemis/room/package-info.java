/**
 * The room in the files of a journal: the charge of a record, the reserves that it must leave, and waiting callers.
 * Nothing here knows a file or the Artemis library. Begin with {@link
 * io.tallystick.store.journal.artemis.room.Framing}.
 */
package io.tallystick.store.journal.artemis.room;
