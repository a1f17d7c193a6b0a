/**
 * The room in the files of a journal: the charge of a record, the costs behind the reserves that it must leave, and the
 * callers that wait for room. Nothing here knows a file or the Artemis library. Begin with
 * {@link io.tallystick.store.journal.artemis.room.Framing}.
 */
package io.tallystick.store.journal.artemis.room;
