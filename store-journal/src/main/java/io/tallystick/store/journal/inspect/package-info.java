/** Reading a journal without opening it as a store: for the tool, for repair, and for copies. */
package io.tallystick.store.journal.inspect;
