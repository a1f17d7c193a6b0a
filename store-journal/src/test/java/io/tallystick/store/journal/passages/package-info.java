/** Tests that stop a thread of the journal at a named place in its code; nothing of this is in the code itself. */
package io.tallystick.store.journal.passages;
