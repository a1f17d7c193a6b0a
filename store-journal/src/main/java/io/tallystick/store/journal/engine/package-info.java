/**
 * What the journal's engines share: the record, the group commit, and the small interface that an engine implements.
 * Internal: not for users, and free to change.
 */
package io.tallystick.store.journal.engine;
